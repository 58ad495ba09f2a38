#include "pipeline/calibrate/calibrate_index.h"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>

#include "pipeline/device/open_session.h"
#include "pipeline/index/index_run.h"
#include "pipeline/stored_calibration.h"
#include "tests/content_of.h"
#include "tests/stages/pictures.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

// An index of six drawn pictures, too few to be calibrated by itself.
class CalibrateIndexTest : public ::testing::Test {
 protected:
  CalibrateIndexTest() {
    config_.images.folders = {(folder_.path() / "photos").native()};
    config_.store.database = folder_.path() / "index.db";
    config_.device.choice = ":CPU:";
    fs::create_directory(folder_.path() / "photos");
    for (unsigned i = 0; i < 6; ++i) {
      cv::imwrite(folder_.path() / "photos" / fmt::format("{}.png", i), draw_picture(160, 120, i));
    }
    run_index(config_, Progress::Style::kQuiet);
  }
  IndexReader index() const { return IndexReader(config_.store.database); }
  CalibrationRun calibrate() {
    IndexWriter writer(config_.store.database);
    OpenClSession session(session_options(config_.device));
    return calibrate_index(writer, IndexReader(fs::path(config_.store.database)), config_, session,
                           Progress::Style::kQuiet);
  }

  TemporaryFolder folder_;
  RunConfig config_;
};

TEST_F(CalibrateIndexTest, SmallIndexIsLeftUncalibrated) {
  EXPECT_FALSE(is_calibration_due(index()));
  EXPECT_EQ(index().derived(std::string(kCalibrationName)), std::nullopt);
}

TEST_F(CalibrateIndexTest, WhatPhotosAreMadeOfIsFoundInThem) {
  const Sightings seen = calibrate().sightings;
  EXPECT_GE(seen.shown.size(), 6U);
  EXPECT_LE(seen.shown.size(), 12U);
  EXPECT_EQ(seen.photos, 6U);
  EXPECT_LT(seen.decoys.size(), seen.shown.size());
  for (const Evidence& evidence : seen.shown) EXPECT_GT(evidence.inliers, 0U);
}

TEST_F(CalibrateIndexTest, FilesOfOnePictureAddNothing) {
  const std::string first = folder_.path() / "photos" / "0.png";
  for (int i = 0; i < 4; ++i) {
    folder_.write(fmt::format("photos/again-{}.png", i), content_of(first) + std::to_string(i));
  }
  run_index(config_, Progress::Style::kQuiet);
  const Sightings seen = calibrate().sightings;
  EXPECT_EQ(seen.photos, 6U);
  for (const Evidence& evidence : seen.others) EXPECT_LT(evidence.correlation.value_or(0), 0.5);
}

TEST_F(CalibrateIndexTest, IndexKeepsWhatItWasCalibratedTo) {
  const CalibrationRun run = calibrate();
  const auto text = index().derived(std::string(kCalibrationName));
  ASSERT_TRUE(text.has_value());
  ASSERT_TRUE(run.calibration.has_value());
  EXPECT_EQ(calibration_from(*text), run.calibration);
  EXPECT_EQ(run.calibration, lookalike::calibrate(run.sightings));
}

TEST(CalibrationOf, PhotosInWhichAllIsCertainLeaveTheShippedWeights) {
  Sightings certain;
  certain.photos = 16;
  EXPECT_EQ(calibration_of(certain, 32), Calibration{});
}

TEST(CalibrationOf, FewerThanHalfOfThePhotosAreNotEnough) {
  Sightings few;
  few.photos = 15;
  few.shown.resize(15);
  EXPECT_EQ(calibration_of(few, 32), std::nullopt);
}

TEST_F(CalibrateIndexTest, AnIndexWithoutFilesIsLeftAsItIs) {
  fs::remove_all(folder_.path() / "photos");
  const CalibrationRun run = calibrate();
  EXPECT_EQ(run.sightings.photos, 0U);
  EXPECT_EQ(run.calibration, std::nullopt);
  EXPECT_EQ(index().derived("calibration.second_look.images"), std::nullopt);
}

TEST_F(CalibrateIndexTest, SameIndexGivesTheSameCalibration) {
  calibrate();
  const auto once = index().derived(std::string(kCalibrationName));
  calibrate();
  EXPECT_EQ(index().derived(std::string(kCalibrationName)), once);
}

TEST_F(CalibrateIndexTest, CalibrationThatCannotBeReadIsAProblem) {
  EXPECT_EQ(problem_of_calibration(index()), std::nullopt);
  calibrate();
  EXPECT_EQ(problem_of_calibration(index()), std::nullopt);
  const std::string weights = *index().derived(std::string(kCalibrationName));
  const auto problem_after = [&](std::string_view name, std::string_view value) {
    IndexWriter(config_.store.database).set_derived(name, value);
    return problem_of_calibration(index()).value_or("");
  };
  EXPECT_EQ(problem_after(kCalibrationName, "[1, 2"),
            "derived: calibration.second_look is damaged, was '[1, 2'");
  EXPECT_EQ(problem_after(kCalibrationName, weights), "");
  EXPECT_EQ(problem_after("calibration.second_look.images", "4x"),
            "derived: calibration.second_look.images is damaged, was '4x'");
}

TEST_F(CalibrateIndexTest, ContentStaysWhatItWas) {
  const std::string before = index().content_hash();
  calibrate();
  EXPECT_EQ(index().content_hash(), before);
}

}  // namespace
}  // namespace lookalike
