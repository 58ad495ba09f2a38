#include "pipeline/duplicates/act.h"

#include <chrono>
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
#include "pipeline/duplicates/act_log.h"
#include "pipeline/duplicates/act_script.h"
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
    add("phone/a.jpg", "picture a");
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
  // Writes what only this user can write, whatever the umask.
  void write_own(const std::string& name, const std::string& bytes) {
    folder_.write(name, bytes);
    fs::permissions(at(name), fs::perms(0644));
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
    ActionPlan plan = plan_moves(std::move(files), to, folder_.path());
    choose_free_names(plan);
    return plan;
  }
  Reach reach() const { return {.folders = {at("photos"), at("phone")}}; }
  ActionReport undone(const ActionPlan& plan, const AfterStep& after_step = kNothing) const {
    return undo(plan, reach(), kToTheEnd, after_step);
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
    EXPECT_EQ(undone(plan).done.size(), 3U);
    EXPECT_EQ(state_of(folder_.path()), before);
    EXPECT_TRUE(fs::is_empty(to));
    const ActionReport again = undone(plan);
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
  EXPECT_EQ(undone(plan).done.size(), 2U);
  EXPECT_EQ(state_of(folder_.path()), before);
  EXPECT_THAT(undone(plan).done, IsEmpty());
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
                                       HasSubstr("name.jpg: is another name of")));
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

TEST_F(ActTest, ATakenNameGetsANumberWhateverHasIt) {
  add("away/phone/small.jpg", "somebody's");
  add("away/phone/a.jpg", "picture a");
  const ActionPlan plan = moves(at("away"));
  EXPECT_EQ(plan.steps[0].to, at("away/phone/a.2.jpg"));
  EXPECT_EQ(plan.steps[2].to, at("away/phone/small.2.jpg"));
  act(plan, kToTheEnd, kNothing);
  EXPECT_EQ(content_of(at("away/phone/small.jpg")), "somebody's");
  EXPECT_EQ(content_of(at("away/phone/small.2.jpg")), "a");
  EXPECT_EQ(content_of(at("away/phone/a.jpg")), "picture a");
}

TEST_F(ActTest, UndoReplacesNothingThatWasWrittenSince) {
  const ActionPlan plan = moves(at("away"));
  act(plan, kToTheEnd, kNothing);
  add("phone/small.jpg", "new");
  fs::remove(at("away/phone/a.jpg"));
  const ActionReport report = undone(plan);
  EXPECT_THAT(report.done, ElementsAre(at("phone/sent/b.jpg")));
  EXPECT_THAT(report.left, ElementsAre(HasSubstr("small.jpg: another file stands in its place"),
                                       HasSubstr("a.jpg: is gone")));
  EXPECT_EQ(content_of(at("phone/small.jpg")), "new");
  EXPECT_EQ(content_of(at("away/phone/small.jpg")), "a");
}

TEST_F(ActTest, WhatLeadsToAMovedFileFromItsPlaceDoesNotDeleteIt) {
  const ActionPlan plan = moves(at("away"));
  act(plan, kToTheEnd, kNothing);
  fs::create_symlink(at("away/phone/a.jpg"), at("phone/a.jpg"));
  fs::remove(at("phone/sent"));
  fs::create_directory_symlink(at("away/phone/sent"), at("phone/sent"));
  fs::create_hard_link(at("away/phone/small.jpg"), at("phone/small.jpg"));
  const ActionReport report = undone(plan);
  EXPECT_THAT(report.left, ElementsAre(HasSubstr("sent: is a symbolic link"),
                                       HasSubstr("a symbolic link stands in its place")));
  EXPECT_EQ(content_of(at("away/phone/a.jpg")), "picture a");
  EXPECT_EQ(content_of(at("away/phone/sent/b.jpg")), "picture b");
  EXPECT_EQ(content_of(at("phone/small.jpg")), "a");
  const Reach through_links = {.folders = reach().folders, .links = FolderLinks::kFollow};
  EXPECT_THAT(undo(plan, through_links, kToTheEnd, kNothing).left,
              ElementsAre(HasSubstr("both paths are one file"), HasSubstr("a symbolic link")));
  EXPECT_EQ(content_of(at("away/phone/sent/b.jpg")), "picture b");
}

TEST_F(ActTest, UndoPutsNothingOutsideTheIndexNorWhatIsNotTheFile) {
  const ActionPlan plan = moves(at("away"));
  act(plan, kToTheEnd, kNothing);
  const Reach photos = {.folders = {at("photos")}};
  EXPECT_EQ(standing_steps(plan, photos), 0U);
  EXPECT_EQ(standing_steps(plan, reach()), 3U);
  EXPECT_THAT(undo(plan, photos, kToTheEnd, kNothing).left,
              testing::AllOf(testing::SizeIs(3),
                             testing::Each(HasSubstr("lies in no folder of the index"))));
  EXPECT_THAT(state_of(at("phone")), IsEmpty());
  add("away/phone/a.jpg", "picture z");
  fs::remove(at("away/phone/small.jpg"));
  fs::create_symlink(at("photos/a.jpg"), at("away/phone/small.jpg"));
  EXPECT_THAT(undone(plan).left, ElementsAre(HasSubstr("small.jpg: is a symbolic link"),
                                             HasSubstr("a.jpg has other bytes now")));
  EXPECT_FALSE(fs::exists(at("phone/a.jpg")));
}

TEST_F(ActTest, NothingMovesThroughALinkInTheFolderNorIntoItsOwnFolder) {
  fs::create_directory(at("away"));
  fs::create_directory_symlink(at("phone"), at("away/phone"));
  const auto before = state_of(folder_.path());
  EXPECT_THAT(act(plan_moves(all(), at("away"), folder_.path()), kToTheEnd, kNothing).left,
              testing::AllOf(testing::SizeIs(3),
                             testing::Each(HasSubstr("away/phone: is a symbolic link"))));
  EXPECT_EQ(state_of(folder_.path()), before);
  fs::create_directory_symlink(folder_.path(), at("alias"));
  EXPECT_THAT(act(plan_moves(all(), at("alias"), folder_.path()), kToTheEnd, kNothing).left,
              testing::AllOf(testing::SizeIs(3), testing::Each(HasSubstr("cannot become"))));
  EXPECT_EQ(state_of(folder_.path()), before);
}

TEST_F(ActTest, AHardLinkIsToTheFileBehindALinkAndComesBack) {
  add("nas/a.jpg", "picture a");
  fs::remove(at("photos/a.jpg"));
  fs::create_symlink("../nas/a.jpg", at("photos/a.jpg"));
  const auto before = state_of(folder_.path());
  const ActionPlan plan = plan_hard_links({needless("phone/a.jpg", "photos/a.jpg", true)});
  EXPECT_EQ(act(plan, kToTheEnd, kNothing).done.size(), 1U);
  EXPECT_FALSE(fs::is_symlink(at("phone/a.jpg")));
  EXPECT_TRUE(fs::equivalent(at("phone/a.jpg"), at("nas/a.jpg")));
  EXPECT_EQ(undone(plan).done.size(), 1U);
  EXPECT_EQ(state_of(folder_.path()), before);
}

TEST_F(ActTest, AnEqualInodeOfAnotherFileSystemIsNoLink) {
  const std::string other = elsewhere();
  if (other.empty()) GTEST_SKIP() << "/dev/shm is no other file system";
  fs::create_directory(other);
  fs::copy(at("phone/a.jpg"), other + "/a.jpg");
  Needless one = needless("phone/a.jpg", "photos/a.jpg", true);
  one.file = look_at(other + "/a.jpg").value();
  one.stays.inode = one.file.inode;
  one.file.inode += 1;  // before
  one.file.modified_ns -= 1'000'000'000;
  const ActionPlan plan{.kind = ActionKind::kHardLink, .steps = {{.needless = one}}};
  const Reach there{.folders = {other}};
  EXPECT_EQ(standing_steps(plan, there), 0U);
  EXPECT_THAT(undo(plan, there, kToTheEnd, kNothing).done, IsEmpty());
}

TEST_F(ActTest, FilesOfOtherRightsAreNotLinked) {
  fs::permissions(at("phone/a.jpg"), fs::perms(0600));
  const auto before = state_of(folder_.path());
  const ActionReport report =
      act(plan_hard_links({needless("phone/a.jpg", "photos/a.jpg", true)}), kToTheEnd, kNothing);
  EXPECT_THAT(report.left, ElementsAre(HasSubstr("its mode differs from that of")));
  EXPECT_EQ(state_of(folder_.path()), before);
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
      undone(plan);
      ASSERT_EQ(state_of(folder_.path()), before);
      ASSERT_TRUE(to.empty() || !fs::exists(to) || fs::is_empty(to));
      killed(step, [&](const AfterStep& after) { act(plan, kToTheEnd, after); });
      const ActionPlan second = planned(to);
      act(second, kToTheEnd, kNothing);
      killed(step, [&](const AfterStep& after) { undone(second, after); });
      undone(second);
      undone(plan);
      ASSERT_EQ(state_of(folder_.path()), before);
    }
  }
}

TEST_F(ActTest, CompanionsGoAndComeBackWithTheirPicture) {
  for (const char* name : {"phone/a.xmp", "phone/a.jpg.XMP", "phone/a.MOV", "phone/a.cr2"}) {
    add(name, std::string("beside a ") + name);
  }
  add("away/phone/a.mov", "somebody's");
  add("away/phone/a.MOV", "somebody's");
  for (const std::string& to : {at("away"), elsewhere()}) {
    if (to.empty()) continue;
    const auto before = state_of(folder_.path());
    ActionPlan plan =
        plan_moves({needless("phone/a.jpg", "photos/a.jpg", true)}, to, folder_.path());
    add_companions(plan);
    ASSERT_EQ(plan.steps[0].companions.size(), 4U);
    choose_free_names(plan);
    const ActionReport report = act(plan, kToTheEnd, kNothing);
    EXPECT_EQ(report.companions.size(), 4U);
    EXPECT_THAT(report.left, IsEmpty());
    EXPECT_FALSE(fs::exists(at("phone/a.xmp")));
    const std::string stem = to == at("away") ? "/phone/a.2" : "/phone/a";
    for (const char* ending : {".jpg", ".xmp", ".jpg.XMP", ".MOV", ".cr2"}) {
      EXPECT_TRUE(fs::exists(to + stem + ending)) << ending;
    }
    const fs::path log = to + "/x.log";
    write_log(log, plan);
    const ActionPlan again = read_log(log);
    fs::remove(log);
    EXPECT_EQ(log_text(again), log_text(plan));
    EXPECT_EQ(undone(again).companions.size(), 4U);
    EXPECT_EQ(state_of(folder_.path()), before);
  }
}

TEST_F(ActTest, ACompanionStaysWithAnotherPictureOfItsOwn) {
  add("phone/a.HEIC", "picture a again");
  add("phone/a.xmp", "beside both");
  add("phone/a.jpg.xmp", "beside one");
  ActionPlan plan = moves({needless("phone/a.jpg", "photos/a.jpg", true)}, at("away"));
  add_companions(plan);
  ASSERT_EQ(plan.steps[0].companions.size(), 1U);
  EXPECT_EQ(plan.steps[0].companions[0].needless.file.path, at("phone/a.jpg.xmp"));
  // The last of both takes it along; but not if the other one has stayed.
  ActionPlan both = moves({needless("phone/a.jpg", "photos/a.jpg", true),
                           needless("phone/a.HEIC", "photos/a.jpg", false)},
                          at("away"));
  add_companions(both);
  ASSERT_EQ(both.steps[1].companions.size(), 1U);
  add("phone/a.jpg", "written since");
  EXPECT_THAT(act(both, kToTheEnd, kNothing).companions, IsEmpty());
  EXPECT_TRUE(fs::exists(at("phone/a.xmp")));
  EXPECT_FALSE(fs::exists(at("phone/a.HEIC")));
}

TEST_F(ActTest, ARawFileForWhichItsJpegGoesStaysWithWhatBelongsToBoth) {
  add("phone/a.cr2", "picture a, raw");
  add("phone/a.xmp", "beside both");
  ActionPlan plan = moves({needless("phone/a.jpg", "phone/a.cr2", false)}, at("away"));
  add_companions(plan);
  EXPECT_THAT(plan.steps[0].companions, IsEmpty());
  EXPECT_EQ(act(plan, kToTheEnd, kNothing).done.size(), 1U);
  EXPECT_TRUE(fs::exists(at("phone/a.cr2")));
  EXPECT_TRUE(fs::exists(at("phone/a.xmp")));
}

TEST_F(ActTest, APictureStaysIfItsCompanionsCannotGo) {
  add("phone/a.xmp", "beside a");
  const auto before = state_of(at("phone"));
  ActionPlan plan = moves({needless("phone/a.jpg", "photos/a.jpg", true)}, at("away"));
  add_companions(plan);
  choose_free_names(plan);
  add("away/phone/a.xmp", "somebody's");
  const ActionReport report = act(plan, kToTheEnd, kNothing);
  EXPECT_THAT(report.done, IsEmpty());
  EXPECT_THAT(report.left, ElementsAre(HasSubstr("a file that belongs to it does")));
  EXPECT_EQ(state_of(at("phone")), before);
}

TEST_F(ActTest, EqualCompanionsBecomeHardLinks) {
  add("phone/a.xmp", "beside a");
  add("photos/a.xmp", "beside a");
  add("phone/a.aae", "beside a");
  add("photos/a.aae", "other");
  const auto before = state_of(folder_.path());
  ActionPlan plan = plan_hard_links({needless("phone/a.jpg", "photos/a.jpg", true)});
  add_companions(plan);
  EXPECT_THAT(act(plan, kToTheEnd, kNothing).companions, ElementsAre(at("phone/a.xmp")));
  EXPECT_TRUE(fs::equivalent(at("phone/a.xmp"), at("photos/a.xmp")));
  undone(plan);
  EXPECT_EQ(state_of(folder_.path()), before);
}

// As after a kill of an undo, which puts the picture back first.
TEST_F(ActTest, ACompanionThatIsAHardLinkAlreadyIsDone) {
  add("photos/a.xmp", "beside a");
  fs::create_hard_link(at("photos/a.xmp"), at("phone/a.xmp"));
  const auto before = state_of(folder_.path());
  ActionPlan plan = plan_hard_links({needless("phone/a.jpg", "photos/a.jpg", true)});
  add_companions(plan);
  const ActionReport report = act(plan, kToTheEnd, kNothing);
  EXPECT_THAT(report.done, ElementsAre(at("phone/a.jpg")));
  EXPECT_THAT(report.left, IsEmpty());
  EXPECT_TRUE(fs::equivalent(at("phone/a.jpg"), at("photos/a.jpg")));
  EXPECT_THAT(undone(plan).left, IsEmpty());
  EXPECT_EQ(state_of(folder_.path()), before);
}

TEST_F(ActTest, LogsAreReadAsTheyWereWritten) {
  add("phone/\xFF\n'.jpg", "picture a");
  std::vector<Needless> files = all();
  files.push_back(needless("phone/\xFF\n'.jpg", "photos/a.jpg", true));
  fs::create_directory(at("away"));
  for (ActionPlan plan : {moves(files, at("away")), plan_hard_links(files)}) {
    plan.databases = {at("index.db"), at("other.db")};
    const fs::path log = new_log_name(at("away"));
    EXPECT_THAT(log.filename().native(), testing::MatchesRegex("lookalike-[0-9]{8}T[0-9]{6}Z.*"));
    write_log(log, plan);
    EXPECT_NE(new_log_name(at("away")), log);
    EXPECT_THROW(write_log(log, plan), Error);
    const ActionPlan again = read_log(log);
    EXPECT_EQ(log_text(again), content_of(log));
    act(plan, kToTheEnd, kNothing);
    EXPECT_THAT(undone(again).left, IsEmpty());
  }
}

TEST_F(ActTest, ALogIsUndoneWhereItsFolderIsNow) {
  const ActionPlan plan = moves(at("away"));
  const auto before = state_of(at("phone"));
  act(plan, kToTheEnd, kNothing);
  write_log(at("away/x.log"), plan);
  fs::rename(at("away"), at("elsewhere"));
  EXPECT_EQ(undone(read_log(at("elsewhere/x.log"))).done.size(), 3U);
  EXPECT_EQ(state_of(at("phone")), before);
}

TEST_F(ActTest, ALogIsLockedUntilItsPlanHasBeenCarriedOut) {
  const ActionPlan plan = moves(at("away"));
  fs::create_directory(at("away"));
  const auto log = write_log(at("away/x.log"), plan);
  EXPECT_THROW(take_log(at("away/x.log")), Busy);
}

TEST_F(ActTest, OnlyALogThatNobodyElseCouldWriteIsBelieved) {
  const mode_t before = ::umask(0002);
  fs::create_directory(at("away"));
  write_log(at("away/x.log"), moves(at("away")));
  ::umask(before);
  const auto message = [&](const std::string& name) {
    try {
      read_log(at(name));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message("away/x.log"), "");
  fs::permissions(at("away/x.log"), fs::perms(0664));
  EXPECT_THAT(message("away/x.log"), HasSubstr("can be written by other users"));
  fs::permissions(at("away/x.log"), fs::perms(0644));
  fs::create_symlink("x.log", at("away/y.log"));
  EXPECT_THAT(message("away/y.log"), HasSubstr("is a symbolic link"));
  ::mkfifo(at("away/z.log").c_str(), 0600);
  EXPECT_THAT(message("away/z.log"), HasSubstr("is no regular file"));
  EXPECT_THAT(message("away"), HasSubstr("is no regular file"));
  if (::chown(at("away/x.log").c_str(), 12345, 12345) == 0) {
    EXPECT_THAT(message("away/x.log"), HasSubstr("belongs to another user"));
  }
}

TEST_F(ActTest, ADamagedLogIsRefused) {
  const std::string text = log_text(moves(at("away")));
  const auto message = [&](const std::string& bytes) {
    write_own("log", bytes);
    try {
      read_log(at("log"));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    other.replace(other.find(from), from.size(), to);
    return message(other);
  };
  EXPECT_EQ(message(text), "");
  EXPECT_THAT(message(text.substr(0, text.size() / 2)), HasSubstr("is damaged, or no log"));
  EXPECT_THAT(message("{}"), HasSubstr("is damaged, or no log"));
  EXPECT_THAT(message(R"({"log":"x"})"), HasSubstr("is damaged, or no log"));
  EXPECT_THAT(changed("\"version\":2", "\"version\":3"), HasSubstr("version 3"));
  EXPECT_THAT(changed(at("away/phone/a.jpg"), at("photos/a.jpg")),
              HasSubstr("moves files out of its folder"));
  EXPECT_THAT(changed(at("away/phone/a.jpg"), at("away/../a.jpg")),
              HasSubstr("a path that is not whole"));
  write_own("log", text);
  fs::resize_file(at("log"), std::uintmax_t{1} << 30U);
  EXPECT_THROW(read_log(at("log")), Error);
}

TEST_F(ActTest, AScriptIsThePlanBehindTheCommandThatCarriesItOut) {
  const ActionPlan plan = moves(at("away"));
  std::string script = script_of(plan, "/opt/it's/lookalike");
  EXPECT_TRUE(script.starts_with(kScriptMark));
  EXPECT_THAT(script,
              HasSubstr("\nexec '/opt/it'\\''s/lookalike' duplicates --carry-out \"$0\"\n"));
  write_own("go.sh", script);
  EXPECT_EQ(log_text(read_plan(at("go.sh"))), log_text(plan));
  // Somebody deletes the line of a file that should stay.
  const std::size_t line = script.find("{\"file\":{\"path\":\"" + at("phone/sent/b.jpg"));
  script.erase(line, script.find('\n', line) + 1 - line);
  write_own("go.sh", script);
  EXPECT_EQ(act(read_plan(at("go.sh")), kToTheEnd, kNothing).done.size(), 2U);
  EXPECT_TRUE(fs::exists(at("phone/sent/b.jpg")));
}

}  // namespace
}  // namespace lookalike
