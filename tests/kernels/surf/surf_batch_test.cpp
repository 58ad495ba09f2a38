#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/surf/surf.h"
#include "tests/kernels/shared_session.h"
#include "tests/kernels/surf/surf_fixture.h"
#include "tests/kernels/surf/synthetic_images.h"

namespace lookalike {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// Images that go together, with each form of the kernels.
using SurfBatchTest = SurfFixture;

std::vector<ImageView> views_of(const std::vector<GrayImage>& images) {
  std::vector<ImageView> views;
  views.reserve(images.size());
  for (const GrayImage& image : images) views.push_back(image.view());
  return views;
}

TEST_P(SurfBatchTest, ImagesOfManySizesTogetherAreAsAlone) {
  const std::vector<GrayImage> images = {blob_image(120, 90, 15),  GrayImage(),
                                         blob_image(200, 210, 16), flat_image(1, 1, 3),
                                         blob_image(200, 210, 17), blob_image(64, 64, 18)};
  OpenClSession& session = shared_session();
  Surf surf(session, {}, GetParam());
  const std::vector<FeatureSet> together = surf.extract(views_of(images));
  ASSERT_EQ(together.size(), images.size());
  for (std::size_t i = 0; i < images.size(); ++i) {
    const FeatureSet alone = extract(images[i], {});
    EXPECT_EQ(together[i].keypoints, alone.keypoints) << i;
    EXPECT_EQ(together[i].descriptors, alone.descriptors) << i;
  }
  EXPECT_THAT(surf.extract({}), IsEmpty());
}

TEST_P(SurfBatchTest, MasksCapsAndImagesTogetherAreAsAlone) {
  const std::vector<GrayImage> images = {blob_image(150, 120, 31), blob_image(90, 140, 32),
                                         blob_image(150, 120, 33), blob_image(80, 80, 34)};
  const std::vector<GrayImage> masks = {flat_image(150, 120, 1), GrayImage(),
                                        checker_image(150, 120, 40, 0.3), flat_image(80, 80, 0)};
  const SurfParameters parameters = {.max_features = 15};
  OpenClSession& session = shared_session();
  Surf surf(session, parameters, GetParam());
  const std::vector<FeatureSet> together = surf.extract(views_of(images), views_of(masks));
  for (std::size_t i = 0; i < images.size(); ++i) {
    const FeatureSet alone = extract(images[i], parameters, masks[i]);
    EXPECT_EQ(together[i].keypoints, alone.keypoints) << i;
    EXPECT_EQ(together[i].descriptors, alone.descriptors) << i;
  }
  EXPECT_THAT(together[0].keypoints, SizeIs(15));
  EXPECT_THAT(together[3].keypoints, IsEmpty());
}

TEST_P(SurfBatchTest, BatchThatDoesNotFitIsHalved) {
  std::vector<GrayImage> images;
  for (std::uint64_t seed = 0; seed < 9; ++seed) {
    images.push_back(blob_image(110, 100, 40 + seed));
  }
  OpenClSession session({.memory_limit_bytes = 2'000'000});
  Surf surf(session, {}, GetParam());
  const std::vector<FeatureSet> together = surf.extract(views_of(images));
  for (std::size_t i = 0; i < images.size(); ++i) {
    EXPECT_EQ(together[i].keypoints, extract(images[i], {}).keypoints) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(, SurfBatchTest, ::testing::Values(SurfKernel::kCpu, SurfKernel::kGpu),
                         [](const auto& form) { return std::string(to_string(form.param)); });

}  // namespace
}  // namespace lookalike
