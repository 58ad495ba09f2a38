#include "pipeline/duplicates/rejections.h"

#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/file.h>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/files.h"
#include "storage/writer_lock.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const ContentHash kA = {1};
const ContentHash kB = {2};
const ContentHash kC = {3};

TEST(Rejections, MarkTheMatchesOfAQuery) {
  Rejections rejections;
  rejections.add(rejection_of(kA, kB, 1));
  std::vector<Match> matches(2);
  matches[0].image.content = kB;
  matches[1].image.content = kC;
  mark_rejected(matches, kA, rejections);
  EXPECT_TRUE(matches[0].rejected);
  EXPECT_FALSE(matches[1].rejected);
  mark_rejected(matches, kC, rejections);
  EXPECT_FALSE(matches[0].rejected);
}

TEST(Rejections, HoldEitherWayRound) {
  Rejections rejections;
  EXPECT_TRUE(rejections.add(rejection_of(kB, kA, 20)));
  EXPECT_FALSE(rejections.add(rejection_of(kA, kB, 10)));
  EXPECT_EQ(rejections.all().size(), 1U);
  EXPECT_EQ(rejections.all().front().since_ns, 10);
  EXPECT_TRUE(rejections.contains(kA, kB) && rejections.contains(kB, kA));
  EXPECT_FALSE(rejections.contains(kA, kC));
  EXPECT_FALSE(rejections.remove(kA, kC));
  EXPECT_TRUE(rejections.remove(kB, kA));
  EXPECT_FALSE(rejections.contains(kA, kB));
  EXPECT_THROW(rejection_of(kA, kA, 1), Error);
}

TEST(Rejections, ComeBackFromCsvWithMoreColumns) {
  Rejections rejections;
  rejections.add(rejection_of(kC, kA, 5));
  rejections.add(rejection_of(kB, kA, 6));
  EXPECT_EQ(Rejections::parse(rejections.csv(), "x").csv(), rejections.csv());
  const std::string table =
      fmt::format("{},path,other_path\r\n\"{}\",\"{}\",7,\"a\nb,\"\"c\"\"\",d\r\n",
                  kRejectionHeader, to_hex(kA), to_hex(kB));
  const Rejections read = Rejections::parse(table, "x");
  ASSERT_EQ(read.all().size(), 1U);
  EXPECT_TRUE(read.contains(kA, kB));
}

TEST(Rejections, NameTheRowThatIsWrong) {
  const auto parse = [](const std::string& rows) {
    return [=] { Rejections::parse(rows, "r.csv"); };
  };
  const std::string header = fmt::format("{}\n", kRejectionHeader);
  const std::string a = to_hex(kA);
  EXPECT_THAT(parse(""), ThrowsMessage<Error>(HasSubstr("r.csv: row 1: expected the columns")));
  EXPECT_THAT(parse("a,b,c\n"), ThrowsMessage<Error>(HasSubstr("row 1: expected the columns")));
  EXPECT_THAT(parse(header + a + ",xyz,1\n"), ThrowsMessage<Error>(HasSubstr("row 2")));
  EXPECT_THAT(parse(header + a + "," + a + ",1\n"), ThrowsMessage<Error>(HasSubstr("row 2")));
  EXPECT_THAT(parse(header + a + "," + to_hex(kB) + ",soon\n"),
              ThrowsMessage<Error>(HasSubstr("row 2: expected nanoseconds, was 'soon'")));
  EXPECT_THAT(parse(header + a + "\n"), ThrowsMessage<Error>(HasSubstr("row 2")));
}

class RejectionFile : public testing::Test {
 protected:
  void add(const ContentHash& one, const ContentHash& other) const {
    change_rejections(database_,
                      [&](Rejections& known) { return known.add(rejection_of(one, other, 1)); });
  }
  TemporaryFolder folder_;
  const std::filesystem::path database_ = folder_.path() / "index.db";
};

TEST_F(RejectionFile, DoesNotWaitForARun) {
  const WriterLock run(database_);
  EXPECT_TRUE(read_rejections(database_).all().empty());
  add(kA, kB);
  EXPECT_TRUE(read_rejections(database_).contains(kA, kB));
}

TEST_F(RejectionFile, LosesNothingWhenSeveralWriteAtOnce) {
  std::vector<std::jthread> writers;
  for (std::uint8_t i = 0; i < 8; ++i) {
    writers.emplace_back([&, i] {
      for (std::uint8_t k = 0; k < 10; ++k) add({9, i}, {10, k});
    });
  }
  writers.clear();
  EXPECT_EQ(read_rejections(database_).all().size(), 80U);
}

TEST_F(RejectionFile, IsNotTouchedWhenItIsDamaged) {
  add(kA, kB);
  std::filesystem::resize_file(rejection_file(database_), 60);
  EXPECT_THROW(read_rejections(database_), Error);
  EXPECT_THROW(add(kA, kC), Error);
  EXPECT_EQ(std::filesystem::file_size(rejection_file(database_)), 60U);
}

TEST_F(RejectionFile, EachCutAndEachChangedByteIsAnError) {
  add(kA, kB);
  add(kA, kC);
  const std::filesystem::path file = rejection_file(database_);
  const std::string whole = read_file(file).value();
  const auto holds = [&](const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
    try {
      read_rejections(database_);
      return true;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInput);
      return false;
    }
  };
  EXPECT_TRUE(holds(whole));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_FALSE(holds(whole.substr(0, i))) << i;
    std::string changed = whole;
    changed[i] = changed[i] == '7' ? '8' : '7';
    EXPECT_FALSE(holds(changed)) << i;
  }
  EXPECT_FALSE(holds(whole + whole));
}

TEST_F(RejectionFile, DoesNotWaitLongForALock) {
  add(kA, kB);
  const FileDescriptor other(::open(rejection_file(database_).c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(::flock(other.number(), LOCK_SH), 0);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THROW(add(kA, kC), Busy);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  EXPECT_TRUE(read_rejections(database_).contains(kA, kB));
  ASSERT_EQ(::flock(other.number(), LOCK_UN), 0);
  add(kA, kC);
  EXPECT_TRUE(read_rejections(database_).contains(kA, kC));
}

TEST_F(RejectionFile, HoldsABoundedNumberOfPairs) {
  const auto fill = [&](std::uint32_t count) {
    change_rejections(database_, [&](Rejections& known) {
      for (std::uint32_t i = 0; i < count; ++i) {
        const auto byte = [i](unsigned place) { return static_cast<std::uint8_t>(i >> place); };
        known.add(rejection_of({0, byte(16), byte(8), byte(0)}, {1}, 1));
      }
      return true;
    });
  };
  fill(Rejections::kMost);
  EXPECT_THAT([&] { fill(Rejections::kMost + 1); },
              ThrowsMessage<Error>(HasSubstr("more than 100000 pairs")));
  EXPECT_EQ(read_rejections(database_).all().size(), Rejections::kMost);
}

TEST_F(RejectionFile, IsNotLeftBehindByAChangeOfNothing) {
  change_rejections(database_, [](Rejections& known) { return known.remove(kA, kB); });
  EXPECT_FALSE(std::filesystem::exists(rejection_file(database_)));
  add(kA, kB);
  change_rejections(database_, [](Rejections& known) { return known.remove(kA, kC); });
  EXPECT_TRUE(read_rejections(database_).contains(kA, kB));
}

TEST_F(RejectionFile, IsDamagedWhenItIsEmptyOrAFolder) {
  std::ofstream(rejection_file(database_)).flush();
  EXPECT_THAT([&] { read_rejections(database_); }, ThrowsMessage<Error>(HasSubstr("is damaged")));
  std::filesystem::remove(rejection_file(database_));
  std::filesystem::create_directory(rejection_file(database_));
  EXPECT_THAT([&] { read_rejections(database_); },
              ThrowsMessage<Error>(HasSubstr("cannot be read: Is a directory")));
}

}  // namespace
}  // namespace lookalike
