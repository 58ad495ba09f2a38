#include "tools/index/retrain.h"

#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pipeline/error.h"
#include "storage/index_check.h"
#include "storage/index_reader.h"
#include "tests/stages/pictures.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

class RetrainTest : public ::testing::Test {
 protected:
  RetrainTest() {
    config_.images.folders = {folder_.path() / "photos"};
    config_.store.database = folder_.path() / "index.db";
    config_.device.choice = ":CPU:";
    draw(0, 5);
    run_index(config_, Progress::Style::kQuiet);
    old_content_ = content();
    draw(5, 60);
  }

  void draw(unsigned first, unsigned end) const {
    for (unsigned i = first; i < end; ++i) {
      const auto bytes = encode(".png", draw_picture(160, 120, i));
      folder_.write(fmt::format("photos/p{}.png", i), text(bytes));
    }
  }
  // Stops when asked for the `count`th time.
  IndexRunReport retrain(int count = 1'000'000) const {
    return retrain_index(config_, Progress::Style::kQuiet, [=]() mutable { return --count <= 0; });
  }
  std::string content() const { return IndexReader(config_.store.database).content_hash(); }
  // Of an index that is made anew.
  std::string fresh_content() const {
    RunConfig config = config_;
    config.store.database += ".fresh";
    run_index(config, Progress::Style::kQuiet);
    return IndexReader(config.store.database).content_hash();
  }

  TemporaryFolder folder_;
  RunConfig config_;
  std::string old_content_;
};

TEST_F(RetrainTest, IndexBecomesWhatANewOneWouldBe) {
  const IndexRunReport report = retrain();
  EXPECT_EQ(content(), fresh_content());
  EXPECT_EQ(report.before.images, 5U);
  EXPECT_EQ(report.after.images, 60U);
  EXPECT_GT(report.trained_words, 0U);
  EXPECT_TRUE(check_index(config_.store.database).empty());
  EXPECT_FALSE(std::filesystem::exists(config_.store.database + ".retrain"));
  const std::vector<RunRecord> runs = IndexReader(config_.store.database).runs(2);
  EXPECT_EQ(runs[0].command, "retrain");
  EXPECT_EQ(runs[0].outcome, "done");
  EXPECT_EQ(runs[1].command, "index");
}

TEST_F(RetrainTest, StoppedOneLeavesTheIndexAndIsGoneOnWith) {
  EXPECT_TRUE(retrain(2).stopped);
  EXPECT_EQ(content(), old_content_);
  EXPECT_FALSE(retrain().stopped);
  EXPECT_EQ(content(), fresh_content());
}

TEST_F(RetrainTest, WhatWasSwappedInAlreadyIsNotTakenForAHalfMadeOne) {
  retrain();
  std::filesystem::copy_file(config_.store.database, config_.store.database + ".retrain");
  draw(60, 80);
  retrain();
  EXPECT_EQ(content(), fresh_content());
}

TEST_F(RetrainTest, OtherSettingsAreTakenOver) {
  retrain(9);
  config_.extract.octaves = 3;
  retrain();
  EXPECT_EQ(IndexReader(config_.store.database).settings().at("extract.octaves"), "3");
  EXPECT_EQ(content(), fresh_content());
}

TEST_F(RetrainTest, OneThatFailsLeavesTheIndex) {
  config_.codebook.words = 100'000;
  EXPECT_THROW(retrain(), Error);
  EXPECT_EQ(content(), old_content_);
  EXPECT_EQ(IndexReader(config_.store.database).runs(1)[0].outcome, "failed");
}

TEST_F(RetrainTest, IndexThatIsNotThereIsAnInputError) {
  config_.store.database += ".none";
  EXPECT_THROW(retrain(), Error);
  EXPECT_FALSE(std::filesystem::exists(config_.store.database));
}

}  // namespace
}  // namespace lookalike
