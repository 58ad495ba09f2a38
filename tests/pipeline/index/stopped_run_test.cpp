// Stopped runs and their successors.

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "pipeline/stored_calibration.h"
#include "storage/index_reader.h"
#include "tests/pipeline/index/index_run_fixture.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

TEST_F(IndexRunTest, StoppedRunPublishesWhatIsDoneAndTheNextOneGoesOn) {
  draw_some(36);
  config_.codebook.sample_images = 24;
  const std::string content = fresh_content();
  fs::remove_all(config_.store.database);
  std::vector<std::uint64_t> images;
  // While it ranks the files, extracts the sample, trains, and indexes the rest.
  for (int count = 1; run_stopped(count).stopped; count += 1 + count / 2) {
    images.push_back(index().counts().images);
  }
  EXPECT_GT(images.size(), 4U);
  EXPECT_TRUE(std::ranges::is_sorted(images));
  EXPECT_EQ(index().content_hash(), content);
}

TEST_F(IndexRunTest, RunThatIsStoppedWhileItScansLeavesTheIndexAsItWas) {
  draw_some(5);
  run();
  const std::string content = index().content_hash();
  fs::remove(photos() / "p1.png");
  draw("new.png", 100);
  for (int count = 1; count <= 5; ++count) {
    const IndexRunReport report = run_stopped_at(count);
    EXPECT_TRUE(report.stopped);
    EXPECT_EQ(report.after.images, 5U);
    EXPECT_EQ(index().runs(1)[0].outcome, "incomplete");
  }
  EXPECT_EQ(index().content_hash(), content);
}

TEST_F(IndexRunTest, StoppedFirstRunSaysWhereItRan) {
  draw_some(20);
  EXPECT_TRUE(run_stopped(1).stopped);
  const RunRecord record = index().runs(1)[0];
  EXPECT_EQ(record.outcome, "incomplete");
  const auto document = nlohmann::json::parse(record.document);
  EXPECT_FALSE(document["device"].get<std::string>().empty());
}

TEST_F(IndexRunTest, CalibrationCanBeStoppedAndIsMadeUpForByTheNextRun) {
  draw_some(41);
  const auto is_calibrated = [&] { return !is_calibration_due(index()); };
  config_.store.batch_images = 41;
  config_.store.publish_seconds = 0;
  const auto has_all = [](const IndexReader& index) { return index.counts().images == 41; };
  ASSERT_TRUE(run_until(has_all).stopped);
  EXPECT_TRUE(run_stopped(5).stopped);
  EXPECT_FALSE(is_calibrated());
  EXPECT_FALSE(run().stopped);
  EXPECT_TRUE(is_calibrated());
}

TEST_F(IndexRunTest, RunUnderOtherSettingsKeepsWhatWasExtracted) {
  draw_some(24);
  config_.codebook.sample_images = 20;
  const fs::path work = config_.store.database + ".work";
  const auto has_words = [](const IndexReader& index) { return index.counts().words > 0; };
  ASSERT_TRUE(run_until(has_words).stopped);
  ASSERT_TRUE(fs::exists(work));
  const auto files = [&] { return std::distance(fs::directory_iterator(work), {}); };
  const auto before = files();
  EXPECT_GT(before, 0);
  config_.extract.octaves = 3;
  EXPECT_EQ(error().kind(), ErrorKind::kUsage);
  EXPECT_EQ(files(), before);
}

TEST_F(IndexRunTest, StoppedRunRemovesNothing) {
  draw_some(20);
  run();
  fs::remove(photos() / "p1.png");
  draw("new.png", 100);
  const IndexRunReport report = run_stopped(1);
  EXPECT_TRUE(report.stopped);
  EXPECT_EQ(report.indexed, 1U);
  EXPECT_TRUE(index().find(photos() / "p1.png"));
  EXPECT_EQ(run().removed, 1U);
}

}  // namespace
}  // namespace lookalike
