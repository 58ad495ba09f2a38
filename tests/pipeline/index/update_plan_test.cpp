#include "pipeline/index/update_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lookalike {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

SourceFile file(const std::string& path, std::uint64_t size = 1, std::int64_t time = 1) {
  return {path, size, time};
}
SkippedFile skip(const SourceFile& source, const std::string& reason) {
  return {source, reason, "because"};
}

TEST(UpdatePlan, OnlyWhatIsNewOrChangedIsIndexed) {
  const ScanResult found{{file("/new"), file("/same"), file("/size", 2), file("/time", 1, 2)}, {}};
  const UpdatePlan plan = plan_update(found, {file("/same"), file("/size"), file("/time")}, {});
  EXPECT_THAT(plan.to_index, ElementsAre(file("/new"), file("/size", 2), file("/time", 1, 2)));
  EXPECT_EQ(plan.unchanged, 1U);
  EXPECT_THAT(plan.gone, IsEmpty());
}

TEST(UpdatePlan, AFileOfTheSameSizeAndTimeIsReadAgainIfItsStatusOrInodeChanged) {
  const SourceFile before{"/a", 1, 1, 1, 1};
  const std::vector<SourceFile> changed = {{"/a", 1, 1, 2, 1}, {"/a", 1, 1, 1, 2}};
  for (const SourceFile& now : changed) {
    EXPECT_THAT(plan_update({{now}, {}}, {before}, {}).to_index, ElementsAre(now));
    EXPECT_THAT(plan_update({{now}, {}}, {}, {skip(before, "undecodable")}).to_index,
                ElementsAre(now));
  }
  EXPECT_EQ(plan_update({{before}, {}}, {before}, {}).unchanged, 1U);
}

TEST(UpdatePlan, ALinkedFileIsUnchangedAndItsStatusTimeIsTakenOver) {
  const SourceFile before{"/a", 1, 1, 1, 1, 1};
  const SourceFile linked{"/a", 1, 1, 2, 1, 2};
  const UpdatePlan plan = plan_update({{linked}, {}}, {before}, {});
  EXPECT_THAT(plan.to_index, IsEmpty());
  EXPECT_THAT(plan.restated, ElementsAre(linked));
  EXPECT_EQ(plan.unchanged, 1U);
  const SourceFile of_unknown_links{"/a", 1, 1, 1, 1, 0};
  EXPECT_THAT(plan_update({{linked}, {}}, {of_unknown_links}, {}).to_index, ElementsAre(linked));
  const std::vector<SourceFile> changed = {
      {"/a", 2, 1, 2, 1, 2}, {"/a", 1, 2, 2, 1, 2}, {"/a", 1, 1, 2, 2, 2}};
  for (const SourceFile& now : changed) {
    EXPECT_THAT(plan_update({{now}, {}}, {before}, {}).to_index, ElementsAre(now));
  }
}

TEST(UpdatePlan, TrustedTimesMakeTheStatusTimeIrrelevant) {
  const SourceFile before{"/a", 1, 1, 1, 1, 2};
  const SourceFile now{"/a", 1, 1, 2, 1, 2};
  EXPECT_THAT(plan_update({{now}, {}}, {before}, {}).to_index, ElementsAre(now));
  EXPECT_THAT(plan_update({{now}, {}}, {before}, {}, true).restated, ElementsAre(now));
  const SourceFile other{"/a", 1, 1, 2, 2, 2};
  EXPECT_THAT(plan_update({{other}, {}}, {before}, {}, true).to_index, ElementsAre(other));
}

TEST(UpdatePlan, ReadingAgainHasAReason) {
  const std::vector<SourceFile> before = {
      {"/a", 1, 1, 1, 1}, {"/b", 1, 1, 1, 1}, {"/c", 1, 1, 1, 1}};
  const std::vector<SourceFile> now = {{"/a", 1, 1, 2, 1}, {"/b", 1, 1, 2, 2}, {"/c", 1, 2, 2, 2}};
  const std::map<std::string, std::size_t> each = {
      {"status_time", 1}, {"inode", 1}, {"modification_time", 1}};
  EXPECT_EQ(reasons_to_read({"/a", "/b", "/c", "/new"}, before, now), each);
}

TEST(UpdatePlan, WhatIsNotFoundIsGone) {
  const ScanResult found{{file("/a")}, {}};
  const UpdatePlan plan =
      plan_update(found, {file("/a"), file("/b")}, {skip(file("/c"), "undecodable")});
  EXPECT_THAT(plan.gone, ElementsAre("/b"));
  EXPECT_THAT(plan.gone_skipped, ElementsAre("/c"));
}

TEST(UpdatePlan, DamagedFileIsTakenUpAgainOnlyWhenItChanges) {
  const ScanResult found{{file("/bad"), file("/mended", 2)}, {}};
  const UpdatePlan plan = plan_update(
      found, {}, {skip(file("/bad"), "undecodable"), skip(file("/mended"), "undecodable")});
  EXPECT_THAT(plan.to_index, ElementsAre(file("/mended", 2)));
  EXPECT_THAT(plan.still_skipped, ElementsAre(skip(file("/bad"), "undecodable")));
}

TEST(UpdatePlan, FileThatCouldNotBeReadIsTriedAgain) {
  const ScanResult found{{file("/locked")}, {}};
  for (const std::string reason : {"unreadable", "no_reader"}) {
    EXPECT_THAT(plan_update(found, {}, {skip(file("/locked"), reason)}).to_index,
                ElementsAre(file("/locked")));
  }
}

TEST(UpdatePlan, AnIndexedFileThatTheScanSkipsIsNotGone) {
  const ScanResult found{{}, {skip(file("/locked"), "unreadable"), skip(file("/p"), "not_a_file")}};
  EXPECT_THAT(plan_update(found, {file("/locked"), file("/p")}, {}).gone, IsEmpty());
}

TEST(OutOfSight, IsWhatWasNotReadWhateverItHolds) {
  for (const std::string reason : {"unreadable", "vanished", "changing", "no_memory"}) {
    EXPECT_TRUE(is_out_of_sight(skip(file("/a"), reason))) << reason;
  }
  for (const std::string reason : {"not_a_file", "empty", "undecodable", "too_large"}) {
    EXPECT_FALSE(is_out_of_sight(skip(file("/a"), reason))) << reason;
  }
}

TEST(UpdatePlan, WhatLiesUnderAClosedFolderIsNotGone) {
  const ScanResult found{{}, {skip(file("/photos/private"), "unreadable")}};
  const UpdatePlan plan =
      plan_update(found, {file("/photos/private/a"), file("/photos/privateer")}, {});
  EXPECT_THAT(plan.gone, ElementsAre("/photos/privateer"));
}

TEST(NewlySkipped, AreThoseThatWereNotSkippedForTheSameReason) {
  const auto skipped = [](const char* path, const char* reason) {
    return SkippedFile{{.path = path}, reason, "whatever the detail"};
  };
  const std::vector<SkippedFile> before = {skipped("a", "empty"), skipped("b", "empty"),
                                           skipped("gone", "empty")};
  const std::vector<SkippedFile> now = {skipped("a", "empty"), skipped("b", "undecodable"),
                                        skipped("c", "empty")};
  const std::vector<SkippedFile> fresh = newly_skipped(now, before);
  ASSERT_EQ(fresh.size(), 2U);
  EXPECT_EQ(fresh[0].file.path, "b");
  EXPECT_EQ(fresh[1].file.path, "c");
}

}  // namespace
}  // namespace lookalike
