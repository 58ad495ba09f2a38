#include "pipeline/flow/device_stages.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/signature.h"
#include "kernels/synthetic_data.h"

namespace lookalike {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

Item image(const std::string& path, int width, int height, std::uint64_t seed) {
  DecodedImage decoded{.record = {{path, 1, 2}, {}, width, height},
                       .pixels = textured_picture(width, height, seed)};
  return {.file = decoded.record.file, .state = std::move(decoded)};
}

Item flat_image(const std::string& path) {
  DecodedImage decoded{.record = {{path, 1, 2}, {}, 64, 64}, .pixels = GrayImage(64, 64)};
  return {.file = decoded.record.file, .state = std::move(decoded)};
}

std::vector<Item> batch_of_all_kinds() {
  std::vector<Item> batch;
  batch.push_back(image("/a", 200, 160, 1));
  batch.push_back({.file = {"/skipped", 1, 2}, .state = SkippedFile{}});
  batch.push_back(flat_image("/blank"));
  batch.push_back(image("/b", 150, 210, 2));
  return batch;
}

Codebook some_codebook() {
  Codebook codebook{.descriptor_size = 64,
                    .words = synthetic_descriptors(40, 64, 1),
                    .projection = noise_values(kSignatureBits * 64, 2),
                    .thresholds = noise_values(kSignatureBits * 40, 3)};
  return codebook;
}

class DeviceStagesTest : public ::testing::Test {
 protected:
  RunConfig config_;
  StageTimes times_;
  DeviceStages stages_{config_, times_};
};

TEST_F(DeviceStagesTest, WithoutACodebookImagesBecomeFeatures) {
  std::vector<Item> batch = batch_of_all_kinds();
  stages_.process(batch);
  EXPECT_GT(std::get<ImageFeatures>(batch[0].state).features.size(), 20U);
  EXPECT_EQ(std::get<ImageFeatures>(batch[0].state).image.file.path, "/a");
  EXPECT_EQ(batch[0].sums.count, 200U * 160U);
  EXPECT_FALSE(batch[0].blank);
  EXPECT_TRUE(batch[1].is<SkippedFile>());
  EXPECT_THAT(std::get<ImageFeatures>(batch[2].state).features.keypoints, IsEmpty());
  EXPECT_TRUE(batch[2].blank);
  EXPECT_GT(std::get<ImageFeatures>(batch[3].state).features.size(), 20U);
}

// Computes words in the two possible ways: entirely on the device, and from features on the host.
TEST_F(DeviceStagesTest, FeaturesOnTheDeviceGetTheWordsOfThoseOfTheHost) {
  std::vector<Item> by_host = batch_of_all_kinds();
  stages_.process(by_host);
  stages_.set_codebook(some_codebook());
  stages_.process(by_host);
  for (std::size_t lane = 0; lane < stages_.lanes(); ++lane) {
    std::vector<Item> on_device = batch_of_all_kinds();
    stages_.process(on_device, lane);
    for (const std::size_t i : {0U, 2U, 3U}) {
      const ImageWords& found = std::get<ImageWords>(on_device[i].state);
      const ImageWords& expected = std::get<ImageWords>(by_host[i].state);
      EXPECT_EQ(found.image, expected.image);
      EXPECT_EQ(found.features, expected.features);
      EXPECT_EQ(found.histogram, expected.histogram);
      EXPECT_EQ(on_device[i].sums, by_host[i].sums);
    }
    EXPECT_GT(std::get<ImageWords>(on_device[0].state).features.size(), 20U);
    EXPECT_THAT(std::get<ImageWords>(on_device[2].state).features, IsEmpty());
  }
}

TEST_F(DeviceStagesTest, ABatchWithoutImagesStays) {
  std::vector<Item> batch;
  stages_.process(batch);
  EXPECT_THAT(batch, IsEmpty());
  batch.push_back({.file = {"/skipped", 1, 2}, .state = SkippedFile{}});
  stages_.process(batch);
  EXPECT_THAT(batch, SizeIs(1));
}

TEST(StageTimes, TimeWithinAnotherStageCountsOnce) {
  StageTimes times(true);
  const auto pause = [] { std::this_thread::sleep_for(std::chrono::milliseconds(30)); };
  times.timed("outer", [&] { times.timed("inner", pause); });
  EXPECT_GE(times.seconds().at("inner"), 0.03);
  EXPECT_LT(times.seconds().at("outer"), 0.02);
  ASSERT_THAT(times.spans(), SizeIs(2));
  EXPECT_EQ(times.spans()[0].stage, "inner");
  EXPECT_LE(times.spans()[1].start_s, times.spans()[0].start_s);
  EXPECT_GE(times.spans()[1].end_s, times.spans()[0].end_s);
  EXPECT_EQ(times.spans()[0].thread, 0U);
}

}  // namespace
}  // namespace lookalike
