#include "pipeline/index/removals.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace lookalike {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<GoneFile> gone(const std::string& root, std::size_t count) {
  std::vector<GoneFile> files;
  for (std::size_t i = 0; i < count; ++i) files.push_back({fmt::format("{}/{}", root, i), root});
  return files;
}

Removals decide(const std::vector<GoneFile>& files, const GuardedRoot& root) {
  return decide_removals(files, {{"/a", root}}, 0.2);
}

TEST(Removals, FewFilesLeaveWhateverTheirShare) {
  const Removals removals = decide(gone("/a", 20), {.files = 21});
  EXPECT_EQ(removals.removed.size(), 20U);
  EXPECT_THAT(removals.withheld, IsEmpty());
}

TEST(Removals, ManyFilesLeaveUpToTheShare) {
  EXPECT_EQ(decide(gone("/a", 40), {.files = 200}).removed.size(), 40U);
  const Removals removals = decide(gone("/a", 41), {.files = 200});
  EXPECT_THAT(removals.removed, IsEmpty());
  EXPECT_EQ(removals.withheld.at("/a").files.size(), 41U);
  EXPECT_THAT(removals.withheld.at("/a").reason, HasSubstr("images.max_removed_share = 0.2"));
}

TEST(Removals, FilesThatMovedLeaveAndAreNotCounted) {
  std::vector<GoneFile> files = gone("/a", 41);
  for (std::size_t i = 0; i < 30; ++i) files[i].moved = true;
  const Removals removals = decide(files, {.files = 41});
  EXPECT_EQ(removals.moved.size(), 30U);
  EXPECT_EQ(removals.removed.size(), 11U);
}

TEST(Removals, OfAnEmptyRootNothingLeavesButWhatMoved) {
  std::vector<GoneFile> files = gone("/a", 2);
  files[0].moved = true;
  const Removals removals = decide(files, {.files = 2, .empty = true});
  EXPECT_THAT(removals.moved, ElementsAre("/a/0"));
  EXPECT_THAT(removals.withheld.at("/a").files, ElementsAre("/a/1"));
}

TEST(Removals, OfARemountedRootNothingLeaves) {
  const Removals removals = decide(gone("/a", 1), {.files = 100, .remounted = "/a/disk"});
  EXPECT_THAT(removals.removed, IsEmpty());
  EXPECT_THAT(removals.withheld.at("/a").reason, HasSubstr("/a/disk"));
}

TEST(Removals, ConfirmedFilesLeaveAndTheOthersAreJudgedByThemselves) {
  const GuardedRoot root = {.files = 3, .empty = true, .confirmed = {"/a/0", "/a/1", "/a/9"}};
  const Removals removals = decide(gone("/a", 3), root);
  EXPECT_THAT(removals.removed, ElementsAre("/a/0", "/a/1"));
  EXPECT_THAT(removals.withheld.at("/a").files, ElementsAre("/a/2"));
}

TEST(Removals, TheShareIsThatOfTheFilesThatConfirmedOnesLeave) {
  GuardedRoot root = {.files = 207};
  for (std::size_t i = 0; i < 60; ++i) root.confirmed.insert(fmt::format("/a/{}", i));
  EXPECT_EQ(decide(gone("/a", 89), root).removed.size(), 89U);
  const Removals removals = decide(gone("/a", 90), root);  // 30 of 147
  EXPECT_EQ(removals.removed.size(), 60U);
  EXPECT_EQ(removals.withheld.at("/a").files.size(), 30U);
}

TEST(Removals, EachRootIsJudgedByItself) {
  std::vector<GoneFile> files = gone("/a", 21);
  for (GoneFile& file : gone("/b", 21)) files.push_back(file);
  const Removals removals =
      decide_removals(files, {{"/a", {.files = 30}}, {"/b", {.files = 300}}}, 0.2);
  EXPECT_EQ(removals.removed.size(), 21U);
  EXPECT_EQ(removals.removed.front(), "/b/0");
  EXPECT_EQ(removals.withheld.at("/a").files.size(), 21U);
}

TEST(RemountedFolder, IsOneOnAnotherFileSystemOrAMountPointThatIsGone) {
  const IndexRoot known = {.path = "/a", .devices = {{"/a", 1, 5}, {"/a/disk", 2, 6}}};
  const auto scanned = [](std::vector<FolderDevice> devices) {
    return std::vector<ScannedFolder>{{"/a", "", std::move(devices)}};
  };
  EXPECT_EQ(remounted_folder(known, scanned({{"/a", 1, 5}, {"/a/disk", 2, 6}})), "");
  EXPECT_EQ(remounted_folder(known, scanned({{"/a", 1, 5}})), "/a/disk");
  EXPECT_EQ(remounted_folder(known, scanned({{"/a", 3, 7}, {"/a/disk", 2, 6}})), "/a");
  EXPECT_EQ(remounted_folder({.path = "/a"}, scanned({{"/a", 1, 5}})), "");
}

TEST(RemountedFolder, MayHaveBecomeARootOfItsOwn) {
  const IndexRoot known = {.path = "/a", .devices = {{"/a", 1, 5}, {"/a/disk", 2, 6}}};
  const std::vector<ScannedFolder> scanned = {{"/a", "", {{"/a", 1, 5}}},
                                              {"/a/disk", "", {{"/a/disk", 2, 6}}}};
  EXPECT_EQ(remounted_folder(known, scanned), "");
}

}  // namespace
}  // namespace lookalike
