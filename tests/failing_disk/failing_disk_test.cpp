// A disk that fails under `lookalike index`, at one call after the other.

#include "tests/failing_disk/failing_disk.h"

#include <map>
#include <utility>

#include <gmock/gmock.h>

#include "tests/content_of.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class FailingCalls : public FailingDisk {
 protected:
  // Whether there were that many calls.
  bool fail_at(const std::string& call, int at, const std::string& with) {
    const int code = index(failing(call, at, with, data()));
    if (!has_failed()) return false;
    // SQLite does without some calls, as where it only makes its log shorter.
    if (code == good_code()) {
      EXPECT_EQ(content(), content_);
    } else {
      EXPECT_EQ(code, 5) << last_.err;
      EXPECT_THAT(last_.err, HasSubstr("lookalike: error: " + data().string()));
    }
    return true;
  }
  void expect_recovery() {
    if (fs::exists(database())) {
      EXPECT_EQ(run("lookalike", {"check", "--database", database()}), 0) << last_.out;
    }
    EXPECT_EQ(index(), good_code()) << last_.err;
    EXPECT_EQ(content(), content_);
  }
  // A run without a failing call.
  int good_code() const { return fs::exists(second()) ? 0 : 7; }
};

TEST_F(FailingCalls, EndTheRunWithAClearErrorAndTheNextRunMakesItGood) {
  // The first, an early and a late one of each call: transactions have dozens of equal calls.
  const std::vector<std::pair<std::string, std::string>> failures = {
      {"open", "broken"},  {"open", "full"},   {"pwrite", "broken"},    {"pwrite", "full"},
      {"pwrite", "short"}, {"sync", "broken"}, {"write", "broken"},     {"write", "full"},
      {"write", "short"},  {"read", "broken"}, {"ftruncate", "broken"}, {"rename", "broken"},
      {"pread", "broken"}};
  int failed = 0;
  for (const bool from_nothing : {false, true}) {
    content_ = from_nothing ? (start_over(true), index(), content()) : content_;
    for (const auto& [call, with] : failures) {
      for (const int at : from_nothing ? std::vector<int>{1, 12} : std::vector<int>{1, 6, 31}) {
        SCOPED_TRACE(testing::Message() << call << " " << with << " at " << at
                                        << (from_nothing ? " of a first run" : ""));
        start_over(from_nothing);
        if (!fail_at(call, at, with)) break;
        expect_recovery();
        ++failed;
      }
    }
  }
  EXPECT_GE(failed, 30);
  RecordProperty("failures", failed);
}

TEST_F(FailingDisk, IndexThatCannotBeReadIsNamedAndKept) {
  const std::vector<std::vector<std::string>> commands = {
      {"show", "--json", "--content-hash", "--database", database()},
      {"check", "--database", database()},
      {"query", "-q", "--json", "--database", database(), photos() / "poster-00.png"}};
  for (const std::vector<std::string>& command : commands) {
    ASSERT_EQ(run("lookalike", command), 0) << last_.err;
    const std::string whole = last_.out;
    int failed = 0;
    for (int at = 1;; at += 1 + at / 2, ++failed) {
      SCOPED_TRACE(command.front() + " at " + std::to_string(at));
      const int code = run("lookalike", command, failing("pread", at, "broken", data()));
      if (!has_failed()) break;
      if (code == 0) {
        EXPECT_EQ(last_.out, whole);
      } else {
        EXPECT_EQ(code, 5) << last_.err;
        EXPECT_THAT(last_.err + last_.out, HasSubstr(database() + ": "));
      }
    }
    EXPECT_GE(failed, 3);
  }
  EXPECT_EQ(content(), content_);
}

TEST_F(FailingDisk, ArtefactThatCannotBeReadOrWrittenIsNamedAndNotHalfThere) {
  const std::string features = data() / "a.features";
  const std::string words = data() / "a.codebook";
  ASSERT_EQ(run("lookalike-extract", {"--images", photos(), "--output", features}), 0) << last_.err;
  const std::vector<std::string> arguments = {"--features", features, "--output", words};
  const auto fails = [&](const std::string& call, int at, const std::string& with) {
    return run("lookalike-codebook", arguments, failing(call, at, with, data()));
  };
  for (const int at : {1, 2, 3, 8}) {
    SCOPED_TRACE(at);
    EXPECT_EQ(fails("read", at, "broken"), 3);
    EXPECT_THAT(last_.err, HasSubstr("lookalike-codebook: error: " + features + ": "));
    EXPECT_FALSE(fs::exists(words));
  }
  for (const std::string with : {"full", "broken"}) {
    EXPECT_EQ(fails("write", 1, with), 5);
    EXPECT_THAT(last_.err, HasSubstr("lookalike-codebook: error: " + words + ": "));
    EXPECT_FALSE(fs::exists(words));
  }
  ASSERT_EQ(run("lookalike-codebook", arguments), 0) << last_.err;
  const auto bytes = [&] { return content_of(words); };
  const std::string whole = bytes();
  for (const auto& [call, at] : std::map<std::string, int>{{"read", 3}, {"write", 1}}) {
    fs::remove(words);
    EXPECT_EQ(fails(call, at, "short"), 0) << last_.err;
    EXPECT_TRUE(has_failed());
    EXPECT_EQ(bytes(), whole);
  }
}

// A table that is written to a folder of its own.
class FailingOutput : public FailingProgram {
 protected:
  FailingOutput() { fs::create_directory(out()); }
  fs::path out() const { return folder_.path() / "out"; }
  std::string table() const { return out() / "new.csv"; }
  int write_table(const std::string& call, const std::string& with) {
    const int code = run("lookalike", {"features", "--csv", table(), photos() / "poster-00.png"},
                         failing(call, 1, with, out()));
    EXPECT_TRUE(has_failed());
    return code;
  }
  std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(out()), {}); }
};

TEST_F(FailingOutput, AppearsWhereAFileSystemCannotRenameWithoutReplacing) {
  for (const std::string call : {"rename", "link"}) {
    EXPECT_EQ(write_table(call, "unsupported"), 0) << last_.err;
    EXPECT_GT(fs::file_size(table()), 100U);
    EXPECT_EQ(files(), 1);
    fs::remove(table());
  }
}

TEST_F(FailingOutput, NeverTakesTheNameOfAFileThatHasJustAppeared) {
  EXPECT_EQ(write_table("rename", "taken"), 2);
  EXPECT_THAT(last_.err, HasSubstr("--csv: " + table() + ": appeared while"));
  EXPECT_EQ(fs::file_size(table()), 0U);
  EXPECT_EQ(files(), 1);
}

TEST_F(FailingOutput, ThatCannotBeWrittenIsNamedAndNotHalfThere) {
  for (const auto& [call, with] : std::map<std::string, std::string>{
           {"open", "broken"}, {"write", "full"}, {"sync", "broken"}, {"rename", "broken"}}) {
    EXPECT_EQ(write_table(call, with), 5) << call;
    EXPECT_THAT(last_.err, HasSubstr("lookalike: error: " + table() + ": cannot be "));
    EXPECT_EQ(files(), 0);
  }
}

TEST_F(FailingDisk, IndexedFilesThatCannotBeReadStay) {
  show_second(true);
  EXPECT_EQ(index(), 0);
  const std::string content_before = content();
  for (const auto& entry : std::filesystem::directory_iterator(photos())) {
    std::filesystem::last_write_time(entry.path(), std::filesystem::file_time_type::clock::now());
  }
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(index(failing("read", 1, "full", photos())), 7);
    EXPECT_TRUE(has_failed());
    EXPECT_THAT(last_.err, HasSubstr("0 indexed, 1 unchanged"));
    EXPECT_THAT(last_.err, HasSubstr("0 removed, 0 moved, 3 skipped (3 of them new)"));
    EXPECT_EQ(content(), content_before);
  }
  EXPECT_EQ(
      run("lookalike", {"retrain", "--database", database()}, failing("read", 1, "full", photos())),
      3);
  EXPECT_THAT(last_.err, HasSubstr("and its images would be lost"));
  EXPECT_EQ(index(), 0);
  EXPECT_THAT(last_.err, HasSubstr("0 indexed, 4 unchanged"));
  EXPECT_EQ(content(), content_before);
}

TEST_F(FailingDisk, FolderThatCannotBeReadToItsEndLosesNoImage) {
  const fs::path below = photos() / "below";
  fs::create_directory(below);
  for (const char* name : {"poster-00.png", "poster-01.png", "poster-03.png"}) {
    fs::rename(photos() / name, below / name);
  }
  show_second(true);
  EXPECT_EQ(index(), 0);
  std::map<bool, int> failures;  // of the folder below, and of the one that was named
  for (int at = 1;; ++at) {
    const int code = index(failing("readdir", at, "broken", photos()));
    if (!has_failed()) break;
    EXPECT_EQ(code, 7);
    ++failures[last_.err.find(photos().native() + ": cannot be read; its ") != std::string::npos];
    EXPECT_THAT(last_.err, HasSubstr("cannot be read"));
    EXPECT_EQ(content(), content_);
  }
  EXPECT_GT(failures[true], 2);
  EXPECT_GT(failures[false], 2);
}

}  // namespace
}  // namespace lookalike
