#include "pipeline/groups/act.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/content_hash.h"
#include "base/files.h"
#include "pipeline/groups/act_log.h"
#include "pipeline/groups/act_script.h"
#include "tests/content_of.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const AfterEach kToTheEnd = [](std::size_t) { return true; };
const AfterStep kNothing = [] {};

// "photos" with files that stay, "phone" with files that may go.
class ActTest : public testing::Test {
 protected:
  ActTest() {
    add("photos/a.jpg", "picture a");
    add("photos/b.jpg", "picture b");
    add("phone/a.jpg", "picture a", 0640);
    add("phone/sent/b.jpg", "picture b");
    add("phone/small.jpg", "a");
  }
  ~ActTest() override {
    std::error_code ignored;
    if (!other_.empty()) fs::remove_all(other_, ignored);
  }

  std::string at(const std::string& name) const { return folder_.path() / name; }
  void add(const std::string& name, const std::string& bytes, unsigned mode = 0644) {
    folder_.write(name, bytes);
    fs::permissions(at(name), fs::perms(mode));
    fs::last_write_time(at(name), fs::last_write_time(at(name)) - std::chrono::hours(++age_));
  }
  Needless needless(const std::string& file, const std::string& stays, bool is_exact) const {
    const auto content = [&](const std::string& name) {
      return hash_content(bytes_of(content_of(at(name))));
    };
    return {look_at(at(file)).value(), content(file), look_at(at(stays)).value(), content(stays),
            is_exact};
  }
  // Returns the files that may go and exist.
  std::vector<Needless> all() const {
    std::vector<Needless> files;
    const auto add = [&](const std::string& file, const std::string& stays, bool is_exact) {
      if (fs::exists(at(file))) files.push_back(needless(file, stays, is_exact));
    };
    add("phone/a.jpg", "photos/a.jpg", true);
    add("phone/sent/b.jpg", "photos/b.jpg", true);
    add("phone/small.jpg", "photos/a.jpg", false);
    return files;
  }
  ActionPlan moves(std::vector<Needless> files, const std::string& to) const {
    return plan_moves(std::move(files), to, folder_.path());
  }
  ActionPlan moves(const std::string& to) const { return moves(all(), to); }
  // A new folder on another file system, or an empty name.
  std::string elsewhere() {
    struct stat here {};
    struct stat there {};
    ::stat(folder_.path().c_str(), &here);
    if (::stat("/dev/shm", &there) != 0 || here.st_dev == there.st_dev) return {};
    other_ = fs::path("/dev/shm") / folder_.path().filename();
    return other_;
  }
  // Returns what a user would miss: bytes, mode and time of each file below a folder, and whether
  // it has further names.
  static std::map<std::string, std::string> state_of(const std::string& folder) {
    std::map<std::string, std::string> files;
    if (!fs::exists(folder)) return files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      struct stat status {};
      ::stat(entry.path().c_str(), &status);
      files[fs::relative(entry.path(), folder)] =
          fmt::format("{} {:o} {} {}", content_of(entry.path()), status.st_mode,
                      modified_ns(status), status.st_nlink);
    }
    return files;
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
  int age_ = 0;
};

TEST_F(ActTest, MovedFilesKeepTheirPathsAndComeBack) {
  for (const std::string& to : {at("away"), elsewhere()}) {
    if (to.empty()) continue;
    const auto before = state_of(folder_.path());
    const ActionPlan plan = moves(to);
    const ActionReport moved = act(plan, kToTheEnd, kNothing);
    EXPECT_THAT(moved.done,
                ElementsAre(at("phone/a.jpg"), at("phone/sent/b.jpg"), at("phone/small.jpg")));
    EXPECT_THAT(moved.left, IsEmpty());
    EXPECT_THAT(state_of(at("phone")), IsEmpty());
    EXPECT_EQ(content_of(to + "/phone/sent/b.jpg"), "picture b");
    EXPECT_EQ(undo(plan, kToTheEnd, kNothing).done.size(), 3U);
    EXPECT_EQ(state_of(folder_.path()), before);
    EXPECT_TRUE(fs::is_empty(to));
    const ActionReport again = undo(plan, kToTheEnd, kNothing);
    EXPECT_THAT(again.done, IsEmpty());
    EXPECT_THAT(again.left, IsEmpty());
  }
}

TEST_F(ActTest, ExactCopiesBecomeHardLinksAndFilesOfTheirOwnAgain) {
  const auto before = state_of(folder_.path());
  const ActionPlan plan = plan_hard_links(all());
  const ActionReport linked = act(plan, kToTheEnd, kNothing);
  EXPECT_THAT(linked.done, ElementsAre(at("phone/a.jpg"), at("phone/sent/b.jpg")));
  EXPECT_EQ(look_at(at("phone/a.jpg"))->inode, look_at(at("photos/a.jpg"))->inode);
  EXPECT_EQ(undo(plan, kToTheEnd, kNothing).done.size(), 2U);
  EXPECT_EQ(state_of(folder_.path()), before);
  EXPECT_THAT(undo(plan, kToTheEnd, kNothing).done, IsEmpty());
}

TEST_F(ActTest, NothingIsDoneWhereOneOfTheTwoIsGoneOrHasChanged) {
  const auto left = [&](const auto& change) {
    std::vector<Needless> files = all();
    files.erase(files.begin() + 1);
    change();
    const ActionReport report = act(moves(std::move(files), at("away")), kToTheEnd, kNothing);
    EXPECT_EQ(report.done.size() + report.left.size(), 2U);
    std::string why;
    for (const std::string& line : report.left) why += line + '\n';
    return why;
  };
  EXPECT_THAT(left([&] { add("phone/small.jpg", "b"); }), HasSubstr("small.jpg: has changed\n"));
  EXPECT_TRUE(fs::exists(at("phone/small.jpg")));
  EXPECT_FALSE(fs::exists(at("phone/a.jpg")));
  add("phone/a.jpg", "picture a");
  EXPECT_THAT(left([&] { fs::remove(at("phone/a.jpg")); }), HasSubstr("a.jpg: is gone\n"));
  add("phone/a.jpg", "picture a");
  add("phone/small.jpg", "a");
  const std::string changed = left([&] { add("photos/a.jpg", "another!!"); });
  EXPECT_THAT(changed, HasSubstr("phone/a.jpg: stays, because " + at("photos/a.jpg") + " has"));
  EXPECT_THAT(changed, HasSubstr("phone/small.jpg: stays, because"));
  const std::string gone = left([&] { fs::remove(at("photos/a.jpg")); });
  EXPECT_THAT(gone, HasSubstr("phone/a.jpg: stays, because " + at("photos/a.jpg") + " is gone"));
  EXPECT_TRUE(fs::exists(at("phone/small.jpg")));
}

TEST_F(ActTest, NeitherLinksNorNamesOfTheFileThatStaysGo) {
  fs::create_symlink("../photos/a.jpg", at("phone/link.jpg"));
  fs::create_hard_link(at("photos/a.jpg"), at("phone/name.jpg"));
  const ActionReport report = act(moves({needless("phone/link.jpg", "photos/b.jpg", false),
                                         needless("phone/name.jpg", "photos/a.jpg", true)},
                                        at("away")),
                                  kToTheEnd, kNothing);
  EXPECT_THAT(report.left, ElementsAre(HasSubstr("is a symbolic link"),
                                       HasSubstr("is another name of the file that stays")));
}

TEST_F(ActTest, BytesDecideWhenTimesHaveChanged) {
  std::vector<Needless> files = all();
  for (const char* name : {"phone/a.jpg", "phone/small.jpg", "photos/a.jpg"}) {
    fs::last_write_time(at(name), fs::file_time_type::clock::now());
  }
  // The times and the hash say that they are exact copies, the bytes do not.
  add("phone/sent/b.jpg", "picture c");
  files[1] = needless("phone/sent/b.jpg", "photos/b.jpg", true);
  const ActionReport report = act(moves(std::move(files), at("away")), kToTheEnd, kNothing);
  EXPECT_THAT(report.done, ElementsAre(at("phone/a.jpg"), at("phone/small.jpg")));
  EXPECT_THAT(report.left, ElementsAre(HasSubstr("b.jpg: has other bytes than")));
}

TEST_F(ActTest, AFileThatAnotherOneStaysForDoesNotGo) {
  const ActionPlan plan = moves({needless("phone/a.jpg", "photos/a.jpg", true),
                                 needless("phone/small.jpg", "phone/a.jpg", false)},
                                at("away"));
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(plan.steps[0].needless.file.path, at("phone/small.jpg"));
}

TEST_F(ActTest, ATakenNameGetsANumber) {
  add("away/phone/small.jpg", "somebody's");
  add("away/phone/a.jpg", "picture a");  // as a killed move leaves it
  const ActionPlan plan = moves(at("away"));
  EXPECT_EQ(plan.steps[0].to, at("away/phone/a.jpg"));
  EXPECT_EQ(plan.steps[2].to, at("away/phone/small.2.jpg"));
  act(plan, kToTheEnd, kNothing);
  EXPECT_EQ(content_of(at("away/phone/small.jpg")), "somebody's");
  EXPECT_EQ(content_of(at("away/phone/small.2.jpg")), "a");
}

TEST_F(ActTest, UndoReplacesNothingThatWasWrittenSince) {
  const ActionPlan plan = moves(at("away"));
  act(plan, kToTheEnd, kNothing);
  add("phone/small.jpg", "new");
  fs::remove(at("away/phone/a.jpg"));
  const ActionReport report = undo(plan, kToTheEnd, kNothing);
  EXPECT_THAT(report.done, ElementsAre(at("phone/sent/b.jpg")));
  EXPECT_THAT(report.left, ElementsAre(HasSubstr("small.jpg"), HasSubstr("a.jpg: is gone")));
  EXPECT_EQ(content_of(at("phone/small.jpg")), "new");
  EXPECT_EQ(content_of(at("away/phone/small.jpg")), "a");
}

TEST_F(ActTest, KilledAtAnyStepUndoEndsCleanAndSoDoesDoingItAgain) {
  const auto before = state_of(folder_.path());
  const auto planned = [&](const std::string& to) {
    return to.empty() ? plan_hard_links(all()) : moves(to);
  };
  for (const std::string& to : {std::string(), at("away"), elsewhere()}) {
    if (to.empty() && !other_.empty()) continue;
    bool was_killed = true;
    for (int step = 1; was_killed; ++step) {
      SCOPED_TRACE(to + ' ' + std::to_string(step));
      const ActionPlan plan = planned(to);
      was_killed = killed(step, [&](const AfterStep& after) { act(plan, kToTheEnd, after); });
      undo(plan, kToTheEnd, kNothing);
      ASSERT_EQ(state_of(folder_.path()), before);
      ASSERT_TRUE(to.empty() || !fs::exists(to) || fs::is_empty(to));
      killed(step, [&](const AfterStep& after) { act(plan, kToTheEnd, after); });
      const ActionPlan second = planned(to);
      act(second, kToTheEnd, kNothing);
      killed(step, [&](const AfterStep& after) { undo(second, kToTheEnd, after); });
      undo(second, kToTheEnd, kNothing);
      undo(plan, kToTheEnd, kNothing);
      ASSERT_EQ(state_of(folder_.path()), before);
    }
  }
}

TEST_F(ActTest, LogsAreReadAsTheyWereWritten) {
  add("phone/\xFF\n'.jpg", "picture a");
  std::vector<Needless> files = all();
  files.push_back(needless("phone/\xFF\n'.jpg", "photos/a.jpg", true));
  for (const ActionPlan& plan : {moves(files, at("away")), plan_hard_links(files)}) {
    const fs::path log = new_log_name(folder_.path());
    EXPECT_THAT(log.filename().native(), testing::MatchesRegex("lookalike-[0-9]{8}T[0-9]{6}Z.*"));
    write_log(log, plan);
    EXPECT_NE(new_log_name(folder_.path()), log);
    EXPECT_THROW(write_log(log, plan), Error);
    const ActionPlan again = read_log(log);
    EXPECT_EQ(log_text(again), content_of(log));
    act(plan, kToTheEnd, kNothing);
    EXPECT_THAT(undo(again, kToTheEnd, kNothing).left, IsEmpty());
  }
}

TEST_F(ActTest, ADamagedLogIsRefused) {
  const std::string text = log_text(moves(at("away")));
  const auto message = [&](const std::string& bytes) {
    folder_.write("log", bytes);
    try {
      read_log(at("log"));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(text), "");
  EXPECT_THAT(message(text.substr(0, text.size() / 2)), HasSubstr("or damaged"));
  EXPECT_THAT(message("{}"), HasSubstr("is no log of lookalike"));
  EXPECT_THAT(message(R"({"log":"x"})"), HasSubstr("is no log of lookalike"));
  std::string newer = text;
  newer.replace(newer.find("\"version\":1"), 11, "\"version\":2");
  EXPECT_THAT(message(newer), HasSubstr("version 2"));
}

TEST_F(ActTest, ScriptsDoTheSame) {
  add("phone/it's.jpg", "picture b");
  auto before = state_of(folder_.path());
  before.erase("phone/a.jpg");
  for (const bool links : {false, true}) {
    std::vector<Needless> files = all();
    files.push_back(needless("phone/it's.jpg", "photos/b.jpg", true));
    const ActionPlan plan = links ? plan_hard_links(files) : moves(files, at("away"));
    const std::string log = at("away/log");
    fs::create_directory(at("away"));
    const std::string script = script_of(plan, log);
    EXPECT_TRUE(script.starts_with(kScriptMark));
    folder_.write("script", script);
    add("phone/a.jpg", "picture A", 0640);  // it changed after the script was written
    const std::string run = fmt::format("sh {} 2>{}", at("script"), at("err"));
    EXPECT_EQ(WEXITSTATUS(std::system(run.c_str())), 1);
    EXPECT_THAT(content_of(at("err")), HasSubstr("phone/a.jpg: is gone or has changed"));
    EXPECT_EQ(content_of(at("phone/a.jpg")), "picture A");
    if (links) {
      EXPECT_EQ(look_at(at("phone/it's.jpg"))->inode, look_at(at("photos/b.jpg"))->inode);
    } else {
      EXPECT_EQ(content_of(at("away/phone/it's.jpg")), "picture b");
      EXPECT_FALSE(fs::exists(at("phone/small.jpg")));
    }
    undo(read_log(log), kToTheEnd, kNothing);
    for (const char* made : {"away/log", "script", "err"}) fs::remove(at(made));
    auto after = state_of(folder_.path());
    after.erase("phone/a.jpg");
    EXPECT_EQ(after, before);
    add("phone/a.jpg", "picture a", 0640);
  }
}

}  // namespace
}  // namespace lookalike
