// A disk that fails under `lookalike index`, at one call after the other.

#include "tests/failing_disk/failing_disk.h"

#include <map>
#include <utility>

#include <gmock/gmock.h>

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
    if (code == 0) {
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
    EXPECT_EQ(index(), 0) << last_.err;
    EXPECT_EQ(content(), content_);
  }
};

TEST_F(FailingCalls, EndTheRunWithAClearErrorAndTheNextRunMakesItGood) {
  const std::vector<std::pair<std::string, std::string>> failures = {
      {"open", "broken"},  {"open", "full"},        {"pwrite", "broken"},
      {"pwrite", "full"},  {"pwrite", "short"},     {"sync", "broken"},
      {"write", "broken"}, {"ftruncate", "broken"}, {"rename", "broken"}};
  int failed = 0;
  for (const bool from_nothing : {false, true}) {
    content_ = from_nothing ? (start_over(true), index(), content()) : content_;
    for (const auto& [call, with] : failures) {
      for (int at = 1; at <= 64; at += 1 + at) {
        SCOPED_TRACE(call + " " + with + " at " + std::to_string(at) +
                     (from_nothing ? " of a first run" : ""));
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

TEST_F(FailingDisk, FolderThatCannotBeReadToItsEndLosesNoImage) {
  const fs::path below = photos() / "below";
  fs::create_directory(below);
  for (const char* name : {"poster-00.png", "poster-01.png", "poster-03.png"}) {
    fs::rename(photos() / name, below / name);
  }
  EXPECT_EQ(index(), 0);
  std::map<int, int> codes;
  for (int at = 1;; ++at) {
    const int code = index(failing("readdir", at, "broken", photos()));
    if (!has_failed()) break;
    ++codes[code];
    EXPECT_THAT(last_.err, HasSubstr("folder cannot be read"));
    EXPECT_EQ(content(), content_);
  }
  EXPECT_GT(codes[3], 2);  // the folder that was named
  EXPECT_GT(codes[1], 2);  // the one below is set aside
  EXPECT_EQ(codes.size(), 2U);
}

}  // namespace
}  // namespace lookalike
