// A disk that fails under `lookalike duplicates --move-to`, `--hardlink` and `--undo`, at one call
// after the other, and folders that are one: no photo is lost.

#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/content_of.h"
#include "tests/failing_disk/failing_disk.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;

// Two folders, "photos" and "copies", with the same pictures under the same names.
class ActingOnAFailingDisk : public testing::Test {
 protected:
  ActingOnAFailingDisk() {
    run("lookalike-example", {"posters", "--count", "3", "--output", at("photos")});
    fs::copy(at("photos"), at("copies"));
    run("lookalike", {"index", "-q", "-d", at("index.db"), at("photos"), at("copies")});
    run("lookalike", {"duplicates", "-q", "-d", at("index.db"), "--kind", "exact"});
    EXPECT_EQ(last_.exit_code, 0) << last_.err;
    before_ = files();
  }
  ~ActingOnAFailingDisk() override {
    if (!other_.empty()) fs::remove_all(other_);
  }

  std::string at(const std::string& name) const { return folder_.path() / name; }
  // A folder on another file system; on the same one without another.
  std::string elsewhere() {
    std::error_code unknown;
    if (!fs::exists("/dev/shm", unknown)) return at("far");
    other_ = fs::path("/dev/shm") / folder_.path().filename();
    return other_;
  }
  int run(const std::string& program, const std::vector<std::string>& arguments,
          const std::vector<std::string>& environment = {}) {
    last_ = run_program(program, arguments, environment);
    return last_.exit_code;
  }
  int act(std::vector<std::string> action, const std::vector<std::string>& environment = {}) {
    action.insert(action.begin(), {"duplicates", "-q", "-d", at("index.db"), "--kind", "exact",
                                   "--prefer", at("photos")});
    return run("lookalike", action, environment);
  }
  // The environment in which a call fails; see failing_calls.cpp.
  std::vector<std::string> failing(const std::string& call, int number, const std::string& with,
                                   const fs::path& under) const {
    fs::remove(at("mark"));
    const std::string preloaded = LOOKALIKE_FAILING_CALLS;
    return {"LD_PRELOAD=" + preloaded,           "FAIL_CALL=" + call,
            "FAIL_AT=" + std::to_string(number), "FAIL_WITH=" + with,
            "FAIL_UNDER=" + under.string(),      "FAIL_MARK=" + at("mark"),
            "FAIL_TARGET=" + at("photos/")};
  }
  // The bytes of all files of the library.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> bytes;
    for (const char* folder : {"photos", "copies"}) {
      for (const auto& entry : fs::directory_iterator(at(folder))) {
        bytes[entry.path()] = content_of(entry.path());
      }
    }
    return bytes;
  }
  // Undoes all logs below a folder.
  void undo_all(const std::string& folder) {
    std::error_code none;
    std::vector<std::string> logs;
    for (const auto& entry : fs::directory_iterator(folder, none)) {
      if (entry.path().extension() == ".log") logs.push_back(entry.path());
    }
    for (const std::string& log : logs) {
      EXPECT_EQ(run("lookalike", {"duplicates", "-q", "--undo", log}), 0) << last_.err;
      fs::remove(log);
    }
  }
  // Undoes everything, and expects the library as it was.
  void expect_all_back(const std::string& away) {
    undo_all(away);
    undo_all(folder_.path());
    EXPECT_EQ(files(), before_) << "such as " << files().size() << " files";
    run("lookalike", {"index", "-q", "-d", at("index.db")});
  }

  TemporaryFolder folder_;
  fs::path other_;
  std::map<std::string, std::string> before_;
  ProgramResult last_;
};

TEST_F(ActingOnAFailingDisk, LosesNothingWhateverCallFails) {
  struct Failure {
    std::string call, with;
    bool is_far, is_link;
  };
  const std::vector<Failure> failures = {
      {"rename", "broken", false, false}, {"rename", "broken", true, false},
      {"rename", "broken", false, true},  {"unlink", "broken", true, false},
      {"unlink", "broken", false, true},  {"link", "broken", false, true},
      {"write", "full", true, false},     {"sync", "broken", true, false},
      {"openat", "broken", false, false}, {"pread", "broken", false, false}};
  int failed = 0;
  for (const Failure& failure : failures) {
    const std::string away = failure.is_far ? elsewhere() : at("away");
    // The calls that matter are those in the new folder, or those in the old one.
    const bool is_there = failure.call == "write" || failure.call == "sync" ||
                          (failure.call == "rename" && !failure.is_far && !failure.is_link);
    for (const int number : {1, 3}) {
      SCOPED_TRACE(failure.call + ' ' + failure.with + ' ' + std::to_string(number) + ' ' + away);
      const auto environment =
          failing(failure.call, number, failure.with, is_there ? away : at("copies"));
      const int code = act(failure.is_link ? std::vector<std::string>{"--hardlink"}
                                           : std::vector<std::string>{"--move-to", away},
                           environment);
      failed += fs::exists(at("mark"));
      EXPECT_THAT(code, AnyOf(0, 1, 5)) << last_.err;
      expect_all_back(away);
    }
  }
  EXPECT_GE(failed, 15);
}

TEST_F(ActingOnAFailingDisk, NeitherRenamesNorLinksNeedBeSupported) {
  for (const std::string call : {"rename", "link"}) {
    SCOPED_TRACE(call);
    EXPECT_EQ(act({"--move-to", at("away")}, failing(call, 1, "unsupported", folder_.path())), 0);
    EXPECT_TRUE(fs::is_empty(at("copies")));
    expect_all_back(at("away"));
  }
}

TEST_F(ActingOnAFailingDisk, FilesUnderTwoPathsStay) {
  for (const std::string& away : {at("away"), elsewhere()}) {
    SCOPED_TRACE(away);
    EXPECT_EQ(act({"--move-to", away}, failing("rename", 1, "mirrored", at("copies/"))), 1);
    EXPECT_TRUE(fs::exists(at("mark")));
    EXPECT_THAT(last_.err, HasSubstr("both paths are one file"));
    EXPECT_EQ(files(), before_);
  }
}

}  // namespace
}  // namespace lookalike
