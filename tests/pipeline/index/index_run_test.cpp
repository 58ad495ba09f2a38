#include "pipeline/index/index_run.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <sys/resource.h>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "pipeline/index/run_record.h"
#include "storage/index_reader.h"
#include "tests/pipeline/index/index_run_fixture.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(IndexRunTest, FirstRunTrainsAndIndexesEverything) {
  draw_some(5);
  const IndexRunReport report = run();
  EXPECT_EQ(report.indexed, 5U);
  EXPECT_GE(report.trained_words, 64U);
  EXPECT_FALSE(report.device.empty());
  const IndexCounts counts = index().counts();
  EXPECT_EQ(counts.images, 5U);
  EXPECT_GT(counts.features, 150U);
  EXPECT_EQ(counts.words, report.trained_words);
  EXPECT_FALSE(fs::exists(config_.store.database + ".work"));
}

TEST_F(IndexRunTest, ContentDependsNeitherOnThreadsNorOnBatches) {
  draw_some(20);
  const std::string content = fresh_content();
  EXPECT_EQ(fresh_content(), content);
  config_.images.decode_threads = 5;
  config_.store.batch_images = 3;
  config_.store.publish_seconds = 0;
  EXPECT_EQ(fresh_content(), content);
}

TEST_F(IndexRunTest, SampleSmallerThanTheCollectionIsTheSameHoweverItIsIndexed) {
  draw_some(20);
  config_.codebook.sample_images = 4;
  const std::string content = fresh_content();
  EXPECT_EQ(index().counts().images, 20U);
  config_.images.decode_threads = 1;
  EXPECT_EQ(fresh_content(), content);
  config_.codebook.sample_images = 3;
  EXPECT_NE(fresh_content(), content);
}

TEST_F(IndexRunTest, SecondRunTouchesNothing) {
  draw_some(3);
  run();
  const std::string content = index().content_hash();
  const std::string left = folder_.write(".backup.db.1.0.lookalike-tmp", "of a killed backup");
  const IndexRunReport report = run();
  EXPECT_FALSE(fs::exists(left));
  EXPECT_EQ(report.indexed, 0U);
  EXPECT_EQ(report.unchanged, 3U);
  EXPECT_EQ(report.device, "");
  EXPECT_EQ(report.trained_words, 0U);
  EXPECT_EQ(index().content_hash(), content);
}

TEST_F(IndexRunTest, NewChangedAndRemovedFilesAreFollowed) {
  draw_some(4);
  run();
  draw("new.png", 100);
  draw("p0.png", 101);
  fs::remove(photos() / "p1.png");
  const IndexRunReport report = run();
  EXPECT_EQ(report.indexed, 2U);
  EXPECT_EQ(report.unchanged, 2U);
  EXPECT_EQ(report.removed, 1U);
  EXPECT_EQ(index().counts().images, 4U);
  EXPECT_THAT(paths_of(photos() / "p1.png"), IsEmpty());
}

TEST_F(IndexRunTest, FileWhoseTimeAloneHasChangedIsNotDecoded) {
  draw_some(2);
  const std::string path = write("large.png", encode(".png", draw_picture(1100, 1000, 50)));
  run();
  const std::string content = index().content_hash();
  fs::last_write_time(path, fs::file_time_type::clock::now() + std::chrono::hours(1));
  config_.images.max_megapixels = 1;  // it would be refused if it were decoded
  const IndexRunReport report = run();
  EXPECT_EQ(report.indexed, 0U);
  EXPECT_EQ(report.unchanged, 3U);
  EXPECT_TRUE(report.skipped.empty());
  EXPECT_EQ(index().content_hash(), content);
  EXPECT_EQ(run().unchanged, 3U);
}

TEST_F(IndexRunTest, AHardLinkIsNoReasonToReadAFileNowOrLater) {
  draw_some(2);
  run();
  fs::create_hard_link(photos() / "p0.png", photos().parent_path() / "backup.png");
  const IndexRunReport linked = run();
  EXPECT_EQ(linked.unchanged, 2U);
  EXPECT_THAT(linked.read_again, IsEmpty());
  EXPECT_TRUE(is_same_state(index().files().front(), look_at(photos() / "p0.png").value()));
  fs::permissions(photos() / "p0.png", fs::perms::owner_read);
  const IndexRunReport changed = run();
  EXPECT_EQ(changed.unchanged, 2U);
  EXPECT_EQ(changed.read_again, (std::map<std::string, std::size_t>{{"status_time", 1}}));
  config_.images.trust_times = true;
  fs::permissions(photos() / "p0.png", fs::perms::owner_all);
  EXPECT_THAT(run().read_again, IsEmpty());
}

TEST_F(IndexRunTest, RenamedFileKeepsItsImage) {
  draw_some(3);
  run();
  const auto before = index().find(photos() / "p1.png");
  fs::rename(photos() / "p1.png", photos() / "a.png");
  draw("new.png", 100);
  fs::copy_file(photos() / "a.png", photos() / "copy.png");
  const IndexRunReport report = run();
  EXPECT_EQ(report.indexed, 2U) << "the new file and one of the two copies";
  EXPECT_EQ(report.removed, 0U);
  EXPECT_EQ(report.moved, 1U);
  EXPECT_EQ(index().find(photos() / "a.png"), before);
  EXPECT_THAT(paths_of(photos() / "a.png"), ElementsAre(photos() / "a.png", photos() / "copy.png"));
}

TEST_F(IndexRunTest, ACopyThatIsReadAgainIsNoNewNameOfAFileThatIsGone) {
  draw_some(3);
  draw("copy.png", 0);
  run();
  fs::remove(photos() / "p0.png");
  fs::last_write_time(photos() / "copy.png",
                      fs::file_time_type::clock::now() + std::chrono::hours(1));
  const IndexRunReport report = run();
  EXPECT_EQ(report.removed, 1U);
  EXPECT_EQ(report.moved, 0U);
  EXPECT_EQ(report.unchanged, 3U);
}

TEST_F(IndexRunTest, FilesWithTheSameBytesShareAnImage) {
  draw_some(2);
  draw("copy.png", 0);
  const IndexRunReport report = run();
  EXPECT_EQ(report.indexed, 3U);
  EXPECT_EQ(index().counts().images, 2U);
  EXPECT_THAT(paths_of(photos() / "copy.png"),
              ElementsAre(photos() / "copy.png", photos() / "p0.png"));
}

TEST_F(IndexRunTest, ContentThatWandersFromOneFileToAnotherStays) {
  draw_some(3);
  run();
  draw("p0.png", 50);
  draw("z.png", 0);  // what p0.png was
  run();
  EXPECT_EQ(index().counts().images, 4U);
  EXPECT_GT(index().features(*index().find(photos() / "z.png")).size(), 20U);
}

TEST_F(IndexRunTest, OtherSettingsAreRefusedAndNamed) {
  draw_some(2);
  run();
  config_.extract.octaves = 3;
  const Error refused = error();
  EXPECT_EQ(refused.kind(), ErrorKind::kUsage);
  EXPECT_THAT(refused.what(), HasSubstr("extract.octaves"));
}

TEST_F(IndexRunTest, TooFewFeaturesForTheWordsAskedForIsAnInputError) {
  draw_some(2);
  config_.codebook.words = 100'000;
  EXPECT_EQ(error().kind(), ErrorKind::kInput);
  EXPECT_THAT(error().what(), HasSubstr("too few features for 100000 words"));
  EXPECT_FALSE(fs::exists(config_.store.database + ".work"));
}

TEST_F(IndexRunTest, FirstRunThatFailsLeavesNoDatabase) {
  config_.images.folders = {folder_.path() / "phtoos"};
  EXPECT_EQ(error().kind(), ErrorKind::kInput);
  EXPECT_THAT(error().what(), HasSubstr("phtoos: no such folder"));
  config_.images.folders.clear();
  EXPECT_EQ(error().kind(), ErrorKind::kUsage);
  EXPECT_THAT(std::vector(fs::directory_iterator(folder_.path()), {}).size(), 1U);  // photos
}

TEST_F(IndexRunTest, EachRunIsRecordedWithWhatItDid) {
  draw_some(3);
  run();
  draw("new.png", 100);
  fs::remove(photos() / "p1.png");
  write("words.jpg", {'t', 'e', 'x', 't'});
  run_stopped(1);
  config_.extract.octaves = 3;
  EXPECT_EQ(error().kind(), ErrorKind::kUsage);

  const std::vector<RunRecord> runs = index().runs(10);
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0].outcome, "failed");
  const auto failed = nlohmann::json::parse(runs[0].document);
  EXPECT_THAT(failed["error"], HasSubstr("extract.octaves"));
  EXPECT_EQ(failed["index"]["before"]["images"], 4);
  EXPECT_FALSE(failed["index"].contains("after"));
  EXPECT_EQ(runs[1].outcome, "incomplete");
  EXPECT_EQ(runs[2].outcome, "good");
  EXPECT_EQ(runs[2].command, "index");
  EXPECT_GT(runs[2].elapsed_seconds, 0);
  const auto second = nlohmann::json::parse(runs[1].document);
  EXPECT_EQ(second["files"], nlohmann::json::parse(R"({"indexed": 1, "unchanged": 2,
                                                       "removed": 0, "moved": 0,
                                                       "withheld": 0, "skipped": 1})"));
  EXPECT_EQ(second["skipped_by_reason"]["undecodable"], 1);
  EXPECT_EQ(second["index"]["before"]["images"], 3);
  EXPECT_EQ(second["index"]["after"]["images"], 4);
  EXPECT_GT(second["busy_seconds"]["extract"], 0);
  EXPECT_GT(second["peak_memory_bytes"], 1'000'000);
  EXPECT_FALSE(second["device"].get<std::string>().empty());
}

TEST_F(IndexRunTest, FoldersThatAreNamedWronglyMakeNoRun) {
  draw_some(2);
  run();
  const std::vector<std::string> folders = config_.images.folders;
  for (const std::string name : {"phtoos", "photos/p0.png"}) {
    config_.images.folders = {(folder_.path() / name).native()};
    EXPECT_EQ(error().kind(), ErrorKind::kInput);
  }
  config_.images.folders = folders;
  EXPECT_EQ(error({.confirmed_roots = {"/elsewhere"}}).kind(), ErrorKind::kUsage);
  const std::vector<RunRecord> runs = index().runs(10);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].outcome, "good");
}

TEST_F(IndexRunTest, ARunIsIncompleteWhereSomethingKnownIsOutOfReach) {
  draw_some(3);
  write("words.jpg", {'t', 'e', 'x', 't'});
  EXPECT_STREQ(outcome_of(run()), "good") << "a file that never was readable";
  write("p1.png", {'t', 'e', 'x', 't'});
  const IndexRunReport broken = run();
  EXPECT_THAT(incomplete_because(broken),
              ElementsAre("1 file that could be read before cannot be now"));
  EXPECT_STREQ(outcome_of(run()), "good") << "it is known now";
  fs::rename(photos(), folder_.path() / "unmounted");
  const IndexRunReport unreachable = run();
  EXPECT_THAT(incomplete_because(unreachable), ElementsAre(photos().native() + ": no such folder"));
  EXPECT_EQ(index().runs(1)[0].outcome, "incomplete");
  fs::create_directory(photos());
  EXPECT_THAT(incomplete_because(run()),
              ElementsAre(photos().native() + ": the removal of 2 files is withheld"));
}

TEST_F(IndexRunTest, DeviceWithoutRoomStopsTheRunWhereToldTo) {
  draw_some(2);
  write("large.png", encode(".png", draw_picture(1024, 1024, 7)));
  config_.device.memory_limit_mib = 1;
  config_.device.on_out_of_memory = "stop";
  EXPECT_EQ(error().kind(), ErrorKind::kDevice);
}

TEST_F(IndexRunTest, RunThatFailsIsRecordedWithWhatItHadDone) {
  draw_some(3);
  run();
  write("large.png", encode(".png", draw_picture(1024, 1024, 7)));
  config_.device.memory_limit_mib = 1;
  config_.device.on_out_of_memory = "stop";
  const Error failure = error();

  const RunRecord record = index().runs(1)[0];
  EXPECT_EQ(record.outcome, "failed");
  const auto document = nlohmann::json::parse(record.document);
  EXPECT_EQ(document["error"], failure.what());
  EXPECT_EQ(document["files"]["unchanged"], 3);
  EXPECT_EQ(document["index"]["before"]["images"], 3);
  EXPECT_TRUE(document["busy_seconds"].contains("scan"));
  EXPECT_GT(document["peak_memory_bytes"], 1'000'000);
  EXPECT_FALSE(document["device"].get<std::string>().empty());
}

RunOptions asking_for(std::uint32_t niceness) {
  RunOptions options;
  options.niceness = niceness;
  return options;
}

// Each in its own process: niceness cannot be lowered again.
class NicenessDeathTest : public ::testing::Test {
 protected:
  NicenessDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(NicenessDeathTest, IsRaised) {
  const auto raise = [] {
    const bool warned = raise_niceness(asking_for(19)).has_value();
    std::_Exit(!warned && ::getpriority(PRIO_PROCESS, 0) == 19 ? 0 : 1);
  };
  EXPECT_EXIT(raise(), ::testing::ExitedWithCode(0), "");
}

TEST_F(NicenessDeathTest, IsNeverLoweredAndAWarningSaysSo) {
  const auto lower = [] {
    ::setpriority(PRIO_PROCESS, 0, 19);
    const auto warning = raise_niceness(asking_for(5));
    std::fputs(warning.value_or("no warning").c_str(), stderr);
    std::_Exit(::getpriority(PRIO_PROCESS, 0) == 19 ? 0 : 1);
  };
  EXPECT_EXIT(lower(), ::testing::ExitedWithCode(0), "run.niceness: stays 19 instead of 5: ");
}

}  // namespace
}  // namespace lookalike
