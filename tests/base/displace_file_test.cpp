#include "base/displace_file.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/content_of.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const AfterStep kNothing = [] {};

class DisplaceFileTest : public testing::Test {
 protected:
  DisplaceFileTest() {
    folder_.write("a", "bytes");
    folder_.write("stays", "bytes");
    fs::last_write_time(at("a"), fs::last_write_time(at("a")) - std::chrono::hours(1000));
    time_ = fs::last_write_time(at("a"));
  }
  ~DisplaceFileTest() override {
    if (!other_.empty()) fs::remove_all(other_);
  }

  std::string at(const std::string& name) const { return folder_.path() / name; }
  HeldFile held(const std::string& name) const { return HeldFile(at(name)); }
  // A folder on another file system than folder_, or an empty name.
  std::string elsewhere() {
    struct stat here {};
    struct stat there {};
    ::stat(folder_.path().c_str(), &here);
    if (::stat("/dev/shm", &there) != 0 || here.st_dev == there.st_dev) return {};
    other_ = fs::path("/dev/shm") / folder_.path().filename();
    fs::create_directory(other_);
    return other_;
  }
  // The folders to which files move: on the same file system, and on another one.
  std::vector<std::string> targets() {
    fs::create_directory(at("to"));
    std::vector<std::string> folders = {at("to")};
    if (const std::string other = elsewhere(); !other.empty()) folders.push_back(other);
    return folders;
  }
  // Moves "a" to a folder for "stays".
  void move_a(const std::string& to, const AfterStep& after_step = kNothing) const {
    const HeldFile stays = held("stays");
    move_file(held("a"), HeldFolder(to), "a", {&stays, true}, after_step);
  }
  // Returns the message of the error that work throws.
  template <typename Work>
  static std::string error_of(const Work& work) {
    try {
      work();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  static std::vector<std::string> names_in(const std::string& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (!entry.is_directory()) names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  // Runs work(after_step) in a process that ends at a step; returns false if it ended before.
  template <typename Work>
  static bool killed(int killed_at, const Work& work) {
    const pid_t child = ::fork();
    if (child == 0) {
      int step = 0;
      work([&] {
        if (++step == killed_at) ::_exit(9);
      });
      ::_exit(0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WEXITSTATUS(status) == 9;
  }

  TemporaryFolder folder_;
  fs::path other_;
  fs::file_time_type time_;
};

TEST_F(DisplaceFileTest, AFileMovesWithItsTimeAndReplacesNothing) {
  for (const std::string& to : targets()) {
    SCOPED_TRACE(to);
    move_a(to);
    EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>{"stays"});
    EXPECT_EQ(names_in(to), std::vector<std::string>{"a"});
    EXPECT_EQ(content_of(to + "/a"), "bytes");
    EXPECT_EQ(fs::last_write_time(to + "/a"), time_);
    folder_.write("a", "bytes");
    EXPECT_THAT(error_of([&] { move_a(to); }), HasSubstr("cannot become " + to + "/a"));
    EXPECT_EQ(names_in(folder_.path()), (std::vector<std::string>{"a", "stays"}));
    fs::remove(to + "/a");
    fs::last_write_time(at("a"), time_);
  }
}

TEST_F(DisplaceFileTest, OnAnotherFileSystemItKeepsModeAndAttributesButNeverSetsTheUser) {
  const std::string other = elsewhere();
  if (other.empty()) GTEST_SKIP() << "/dev/shm is no other file system";
  const std::string bytes(3'000'000, 'x');
  folder_.write("a", bytes);
  const auto tag = [](const std::string& file) {
    return ::setxattr(file.c_str(), "user.tag", "sea", 3, 0) == 0;
  };
  std::ofstream(other + "/probe") << "x";
  const bool can_be_tagged = tag(other + "/probe") && tag(at("a"));
  ::chmod(at("a").c_str(), 04640);
  move_file(held("a"), HeldFolder(other), "b", {}, kNothing);
  EXPECT_EQ(content_of(other + "/b"), bytes);
  EXPECT_EQ(fs::status(other + "/b").permissions(), fs::perms(0640));
  if (can_be_tagged) {
    EXPECT_EQ(::getxattr((other + "/b").c_str(), "user.tag", nullptr, 0), 3);
  }
}

TEST_F(DisplaceFileTest, AFileComesBackWhenTheOneThatStaysWentWithIt) {
  for (const std::string& to : targets()) {
    for (const bool is_gone : {true, false}) {
      SCOPED_TRACE(to);
      const auto take_both = [&] {  // as of one file under two paths
        if (fs::exists(at("a"))) return;
        if (is_gone && fs::exists(at("stays"))) fs::rename(at("stays"), at("gone"));
        if (!is_gone) folder_.write("stays", "other");
      };
      EXPECT_THAT(error_of([&] { move_a(to, take_both); }), HasSubstr("both paths are one file"));
      EXPECT_EQ(content_of(at("a")), "bytes");
      EXPECT_EQ(fs::last_write_time(at("a")), time_);
      EXPECT_TRUE(fs::is_empty(to));
      fs::remove(at("gone"));
      folder_.write("stays", "bytes");
    }
  }
  const auto take_both = [&] {
    if (!fs::exists(at("a")) && fs::exists(at("stays"))) fs::rename(at("stays"), at("gone"));
  };
  EXPECT_THAT(error_of([&] { replace_by_link(held("a"), held("stays"), take_both); }),
              HasSubstr("both paths are one file"));
  EXPECT_EQ(content_of(at("a")), "bytes");
  fs::rename(at("gone"), at("stays"));
  EXPECT_THAT(error_of([&] { drop_copy(held("a"), held("stays"), take_both); }),
              HasSubstr("both paths are one file"));
  EXPECT_EQ(content_of(at("a")), "bytes");
}

TEST_F(DisplaceFileTest, AnUnfinishedCopyBesideAFileDoesNotKeepIt) {
  for (const std::string& to : targets()) {
    SCOPED_TRACE(to);
    folder_.write(".a.lookalike-part", "half");
    move_a(to);
    EXPECT_EQ(content_of(to + "/a"), "bytes");
    move_file(HeldFile(to + "/a"), HeldFolder(folder_.path()), "a", {}, kNothing);
    EXPECT_EQ(content_of(at("a")), "bytes");
  }
}

TEST_F(DisplaceFileTest, WhatIsWrittenMeanwhileIsKept) {
  for (const std::string& to : targets()) {
    SCOPED_TRACE(to);
    const HeldFile file = held("a");
    const HeldFile stays = held("stays");
    const auto write = [&] {
      if (!fs::exists(at("a"))) return;
      fs::remove(at("a"));
      folder_.write("a", "written since");
    };
    EXPECT_THAT(error_of([&] {
                  move_file(file, HeldFolder(to), "a", {&stays, true}, write);
                }),
                HasSubstr("was replaced by another file"));
    EXPECT_EQ(content_of(at("a")), "written since");
    EXPECT_TRUE(fs::is_empty(to));
    folder_.write("a", "bytes");
    fs::last_write_time(at("a"), time_);
  }
}

TEST_F(DisplaceFileTest, AFileThatChangesOrLosesItsCopyMeanwhileStays) {
  for (const std::string& to : targets()) {
    SCOPED_TRACE(to);
    folder_.write("other", "others");
    const HeldFile file = held("a");
    const HeldFile stays = held("other");
    const auto append = [&] {
      for (const std::string& path : {to + "/a", at("a"), at(".a.lookalike-aside")}) {
        struct stat status {};
        if (::stat(path.c_str(), &status) != 0 || status.st_ino != file.status().st_ino) continue;
        if (fs::file_size(path) < 10) std::ofstream(path, std::ios::app) << "more to be kept";
      }
    };
    EXPECT_THAT(error_of([&] {
                  move_file(file, HeldFolder(to), "a", {&stays, false}, append);
                }),
                HasSubstr("has changed"));
    EXPECT_EQ(content_of(at("a")), "bytesmore to be kept");
    EXPECT_TRUE(fs::is_empty(to));
    folder_.write("a", "bytes");
    fs::last_write_time(at("a"), time_);
  }
  if (other_.empty()) return;
  const auto lose_copy = [&] {
    if (!fs::exists(at("a"))) fs::remove(other_ / "a");
  };
  EXPECT_THAT(error_of([&] { move_a(other_, lose_copy); }), HasSubstr("its copy is gone"));
  EXPECT_EQ(content_of(at("a")), "bytes");
}

TEST_F(DisplaceFileTest, AFileThatCannotBeRenamedLeavesNoCopyBehind) {
  const std::string other = elsewhere();
  if (other.empty()) GTEST_SKIP() << "/dev/shm is no other file system";
  folder_.write(".a.lookalike-aside", "somebody's");  // takes the name that it gets first
  EXPECT_THAT(error_of([&] { move_a(other); }), HasSubstr("cannot be renamed"));
  EXPECT_EQ(content_of(at("a")), "bytes");
  EXPECT_TRUE(fs::is_empty(other));
}

TEST_F(DisplaceFileTest, NamesOfOneFileAndFilesWithOtherBytesStay) {
  fs::create_hard_link(at("stays"), at("name"));
  const HeldFile stays = held("stays");
  const HeldFolder to(folder_.path());
  EXPECT_THAT(error_of([&] {
                move_file(held("name"), to, "b", {&stays, true}, kNothing);
              }),
              HasSubstr("is another name of"));
  EXPECT_THAT(error_of([&] { replace_by_link(held("name"), stays, kNothing); }),
              HasSubstr("is another name of"));
  folder_.write("other", "bytez");
  EXPECT_THAT(error_of([&] {
                move_file(held("other"), to, "b", {&stays, true}, kNothing);
              }),
              HasSubstr("has other bytes than"));
  EXPECT_THAT(error_of([&] { drop_copy(held("other"), stays, kNothing); }),
              HasSubstr("has other bytes than"));
  move_file(held("other"), to, "b", {&stays, false}, kNothing);
  EXPECT_EQ(content_of(at("b")), "bytez");
}

TEST_F(DisplaceFileTest, ALinkAndACopyOfItsOwnTakeAFilesPlace) {
  replace_by_link(held("a"), held("stays"), kNothing);
  EXPECT_TRUE(fs::equivalent(at("a"), at("stays")));
  EXPECT_EQ(fs::hard_link_count(at("a")), 2U);
  constexpr std::int64_t kTime = 1'234'567'890'123'456'789;
  replace_by_copy(held("a"), kTime, kNothing);
  EXPECT_EQ(fs::hard_link_count(at("stays")), 1U);
  EXPECT_EQ(content_of(at("a")), "bytes");
  EXPECT_EQ(held("a").source().modified_ns, kTime);
  drop_copy(held("a"), held("stays"), kNothing);
  EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>{"stays"});
}

TEST_F(DisplaceFileTest, OneOfTwoNamesOfAFileIsDropped) {
  fs::create_hard_link(at("a"), at("b"));
  drop_copy(held("b"), held("a"), kNothing);
  EXPECT_FALSE(fs::exists(at("b")));
  EXPECT_EQ(content_of(at("a")), "bytes");
}

TEST_F(DisplaceFileTest, LongNamesHaveHiddenOnes) {
  const std::string other = elsewhere();
  const std::string name(250, 'n');
  fs::rename(at("a"), at(name));
  replace_by_link(held(name), held("stays"), kNothing);
  replace_by_copy(held(name), 0, kNothing);
  EXPECT_EQ(fs::hard_link_count(at("stays")), 1U);
  if (other.empty()) return;
  move_file(held(name), HeldFolder(other), name, {}, kNothing);
  EXPECT_EQ(content_of(other + "/" + name), "bytes");
}

TEST_F(DisplaceFileTest, KilledAtAnyStepAMoveLeavesAWholeFileThatIsFoundAgain) {
  for (const std::string& to : targets()) {
    bool was_killed = true;
    int kills = 0;
    for (int step = 1; was_killed; ++step, ++kills) {
      SCOPED_TRACE(to + ' ' + std::to_string(step));
      was_killed = killed(step, [&](const AfterStep& after) { move_a(to, after); });
      settle(HeldFolder(folder_.path()), "a", kNothing);
      settle(HeldFolder(to), "a", kNothing);
      const bool is_here = fs::exists(at("a"));
      const bool is_there = fs::exists(to + "/a");
      ASSERT_TRUE(is_here || is_there);
      if (is_here && is_there) drop_copy(HeldFile(to + "/a"), held("a"), kNothing);
      if (!is_here) move_file(HeldFile(to + "/a"), HeldFolder(folder_.path()), "a", {}, kNothing);
      EXPECT_EQ(content_of(at("a")), "bytes");
      EXPECT_EQ(fs::last_write_time(at("a")), time_);
      EXPECT_EQ(names_in(folder_.path()), (std::vector<std::string>{"a", "stays"}));
      EXPECT_TRUE(fs::is_empty(to));
    }
    EXPECT_GE(kills, 3);
  }
}

TEST_F(DisplaceFileTest, KilledAtAnyStepALinkAndItsCopyAreMadeGood) {
  const auto make_link = [&](const AfterStep& after) {
    replace_by_link(held("a"), held("stays"), after);
  };
  for (const bool is_undone : {false, true}) {
    bool was_killed = true;
    int kills = 0;
    for (int step = 1; was_killed; ++step, ++kills) {
      SCOPED_TRACE(step);
      folder_.write("a", "bytes");
      if (is_undone) make_link(kNothing);
      was_killed = killed(step, [&](const AfterStep& after) {
        if (is_undone) {
          replace_by_copy(held("a"), 1, after);
        } else {
          make_link(after);
        }
      });
      settle(HeldFolder(folder_.path()), "a", kNothing);
      EXPECT_EQ(content_of(at("a")), "bytes");
      EXPECT_EQ(content_of(at("stays")), "bytes");
      EXPECT_EQ(names_in(folder_.path()), (std::vector<std::string>{"a", "stays"}));
      fs::remove(at("a"));
    }
    EXPECT_GE(kills, 3);
  }
}

TEST_F(DisplaceFileTest, WhatIsAsideWithOtherBytesIsNamedAndKept) {
  folder_.write(".a.lookalike-aside", "other");
  EXPECT_THAT(error_of([&] { settle(HeldFolder(folder_.path()), "a", kNothing); }),
              HasSubstr(".a.lookalike-aside beside it has other bytes"));
  EXPECT_EQ(content_of(at(".a.lookalike-aside")), "other");
  EXPECT_THAT(error_of([&] { drop_copy(held("a"), held("stays"), kNothing); }),
              HasSubstr("cannot be renamed"));
  EXPECT_EQ(content_of(at("a")), "bytes");
}

}  // namespace
}  // namespace lookalike
