#include "stages/assign/assign_stage.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/signature.h"

namespace lookalike {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Four words on the first axis, at 0, 1, 2 and 3; axis-aligned projection, thresholds 0.
Codebook line_codebook() {
  Codebook codebook;
  codebook.words.resize(std::size_t{4} * 64);
  for (std::size_t i = 0; i < 4; ++i) codebook.words[i * 64] = static_cast<float>(i);
  codebook.projection.resize(kSignatureBits * 64);
  for (std::size_t i = 0; i < kSignatureBits; ++i) codebook.projection[i * 64 + i] = 1;
  codebook.thresholds.resize(4 * kSignatureBits);
  return codebook;
}

// One feature per position on the first axis; keypoint i is at x = i.
ImageFeatures image_with(const std::string& path, const std::vector<float>& positions) {
  ImageFeatures image;
  image.image.file.path = path;
  image.features.descriptors.resize(positions.size() * 64);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    image.features.descriptors[i * 64] = positions[i];
    image.features.keypoints.push_back(
        {.x = static_cast<float>(i), .size = 9, .laplacian_sign = 1});
  }
  return image;
}

class AssignStageTest : public ::testing::Test {
 protected:
  OpenClSession session_;
  AssignStage stage_{session_, line_codebook()};
};

TEST_F(AssignStageTest, FeaturesAreSortedByWordThenInExtractionOrder) {
  const std::vector<ImageFeatures> images = {image_with("/a", {3.1F, 0.2F, 2.9F, 0.1F})};
  const std::vector<ImageWords> words = stage_.run(images);
  ASSERT_EQ(words.size(), 1U);
  std::vector<std::uint32_t> order;
  std::vector<float> x;
  for (const IndexedFeature& feature : words[0].features) {
    order.push_back(feature.word);
    x.push_back(feature.x);
  }
  EXPECT_THAT(order, ElementsAre(0, 0, 3, 3));
  EXPECT_THAT(x, ElementsAre(1, 3, 0, 2));
  EXPECT_THAT(words[0].histogram, ElementsAre(WordCount{0, 2}, WordCount{3, 2}));
  EXPECT_EQ(words[0].image.file.path, "/a");
}

TEST_F(AssignStageTest, ManyFeaturesOfAWordStayInExtractionOrder) {
  std::vector<float> positions(200);
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<float>(i % 4);
  const std::vector<ImageFeatures> images = {image_with("/a", positions)};
  const std::vector<IndexedFeature> features = stage_.run(images)[0].features;
  ASSERT_EQ(features.size(), positions.size());
  EXPECT_TRUE(std::ranges::is_sorted(features, [](const auto& a, const auto& b) {
    return a.word != b.word ? a.word < b.word : a.x < b.x;
  }));
}

TEST_F(AssignStageTest, SignatureAndGeometryGoWithTheFeature) {
  const std::vector<ImageFeatures> images = {image_with("/a", {2, -1})};
  const IndexedFeature negative = stage_.run(images)[0].features[0];
  EXPECT_EQ(negative, (IndexedFeature{0, 0, 1, 0, 9, 0, 1}));
  const IndexedFeature positive = stage_.run(images)[0].features[1];
  EXPECT_EQ(positive, (IndexedFeature{2, 1, 0, 0, 9, 0, 1}));
}

TEST_F(AssignStageTest, ImageWithoutFeaturesStandsBesideOthers) {
  const std::vector<ImageFeatures> images = {image_with("/a", {}), image_with("/b", {1}),
                                             image_with("/c", {})};
  const std::vector<ImageWords> words = stage_.run(images);
  ASSERT_EQ(words.size(), 3U);
  EXPECT_THAT(words[0].features, IsEmpty());
  EXPECT_THAT(words[0].histogram, IsEmpty());
  EXPECT_THAT(words[1].histogram, ElementsAre(WordCount{1, 1}));
  EXPECT_THAT(words[2].histogram, IsEmpty());
}

TEST_F(AssignStageTest, NothingToDoIsLegal) {
  EXPECT_THAT(stage_.run({}), IsEmpty());
}

TEST_F(AssignStageTest, DescriptorsOfAnotherSizeAreAnInputError) {
  std::vector<ImageFeatures> images = {image_with("/a", {1, 2})};
  images[0].features.descriptor_size = 128;
  images[0].features.keypoints.resize(1);
  try {
    stage_.run(images);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
  }
}

TEST(AssignStageOfCells, ComparesTheWordsOfTheNearestCells) {
  OpenClSession session;
  Codebook codebook = line_codebook();
  const std::vector<ImageFeatures> images = {image_with("/a", {0, 1.4F, 1.6F, 3})};
  const auto histogram = [&] { return AssignStage(session, codebook).run(images)[0].histogram; };
  EXPECT_THAT(histogram(),
              ElementsAre(WordCount{0, 1}, WordCount{1, 1}, WordCount{2, 1}, WordCount{3, 1}));
  // Words 0 and 1 are around 0, words 2 and 3 around 2.5.
  codebook.cells = {std::vector<float>(2 * 64), {0, 2, 4}, 1};
  codebook.cells.centres[64] = 2.5F;
  EXPECT_THAT(histogram(), ElementsAre(WordCount{0, 1}, WordCount{2, 2}, WordCount{3, 1}));
}

}  // namespace
}  // namespace lookalike
