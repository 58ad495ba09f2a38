// A disk that fails under `lookalike index`, at one call after the other.

#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/run_program.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// An index that is one run behind its folder, and what it is after that run.
class FailingDisk : public testing::Test {
 protected:
  FailingDisk() {
    EXPECT_EQ(run("lookalike-example", {"posters", "--count", "4", "--output", photos()}), 0);
    fs::rename(photos() / "poster-01.png", folder_.path() / "later.png");
    fs::create_directory(data());
    EXPECT_EQ(index(), 0);
    fs::copy_file(database(), folder_.path() / "behind.db");
    fs::rename(folder_.path() / "later.png", photos() / "poster-01.png");
    fs::remove(photos() / "poster-02.png");
    EXPECT_EQ(index(), 0);
    content_ = content();
  }

  fs::path photos() const { return folder_.path() / "photos"; }
  fs::path data() const { return folder_.path() / "data"; }
  std::string database() const { return data() / "index.db"; }

  int run(const std::string& program, const std::vector<std::string>& arguments,
          const std::vector<std::string>& environment = {}) {
    last_ = run_program(program, arguments, environment);
    return last_.exit_code;
  }
  int index(const std::vector<std::string>& environment = {}) {
    return run("lookalike", {"index", "-q", "--images", photos(), "--database", database()},
               environment);
  }
  std::string content() {
    run("lookalike", {"show", "--json", "--database", database()});
    return nlohmann::json::parse(last_.out)["content_hash"];
  }
  // The folder of the index as it was before the run, or without an index.
  void start_over(bool from_nothing) const {
    fs::remove_all(data());
    fs::create_directory(data());
    if (!from_nothing) fs::copy_file(folder_.path() / "behind.db", database());
  }
  // Whether there were that many calls.
  bool fail_at(const std::string& call, int at, const std::string& with) {
    const fs::path mark = folder_.path() / "mark";
    fs::remove(mark);
    const int code = index({"LD_PRELOAD=" LOOKALIKE_FAILING_CALLS, "FAIL_CALL=" + call,
                            "FAIL_AT=" + std::to_string(at), "FAIL_WITH=" + with,
                            "FAIL_UNDER=" + data().string(), "FAIL_MARK=" + mark.string()});
    if (!fs::exists(mark)) return false;
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

  TemporaryFolder folder_;
  ProgramResult last_;
  std::string content_;
};

TEST_F(FailingDisk, EndsTheRunWithAClearErrorAndTheNextRunMakesItGood) {
  const std::vector<std::pair<std::string, std::string>> failures = {
      {"open", "broken"},  {"open", "full"},   {"pwrite", "broken"}, {"pwrite", "full"},
      {"pwrite", "short"}, {"sync", "broken"}, {"write", "broken"},  {"ftruncate", "broken"}};
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

}  // namespace
}  // namespace lookalike
