#include "stages/codebook/sample.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/content_hash.h"
#include "base/error.h"

namespace lookalike {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

ContentHash content(std::uint8_t number) {
  return {number};
}

std::vector<SampleImage> images_with(const std::vector<std::size_t>& features) {
  std::vector<SampleImage> images;
  for (const std::size_t count : features) {
    images.push_back({content(static_cast<std::uint8_t>(images.size())), count});
  }
  return images;
}

// The number of features taken from each image, in the order of the images.
std::vector<std::size_t> taken(const SamplePlan& plan, std::size_t images) {
  std::vector<std::size_t> counts(images);
  for (const SampleShare& share : plan.shares) counts[share.image] = share.features;
  return counts;
}

std::string message(const std::vector<SampleImage>& images, const CodebookOptions& options) {
  try {
    plan_sample(images, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    return error.what();
  }
  return "no error";
}

TEST(PlanSample, AutoWordsArePowersOfTwoByTheFeaturesThereAre) {
  const CodebookOptions options;
  EXPECT_EQ(plan_sample(images_with({10'000, 10'000}), options).words, 256U);
  EXPECT_EQ(plan_sample(images_with({8192, 8192}), options).words, 256U);
  EXPECT_EQ(plan_sample(images_with({8192, 8191}), options).words, 128U);
  EXPECT_EQ(plan_sample(images_with({10}), options).words, 10U);
  EXPECT_EQ(plan_sample(images_with({100}), options).words, 64U);
  EXPECT_EQ(plan_sample(images_with({50'000'000}), options).words, 16384U);
}

TEST(PlanSample, AutoWordsAreMoreWhereTheSampleIsFull) {
  const CodebookOptions options{.sample_images = 2};
  EXPECT_EQ(plan_sample(images_with({50'000'000}), options).words, 16384U);
  EXPECT_EQ(plan_sample(images_with({50'000'000, 50'000'000}), options).words, 65536U);
  EXPECT_EQ(plan_sample(images_with({1'000'000, 1'000'000, 1'000'000}), options).words, 16384U);
}

TEST(PlanSample, ImagesThatHaveLessLeaveTheirShareToTheOthers) {
  const CodebookOptions options{.words = 1, .features_per_word = 100};
  const SamplePlan plan = plan_sample(images_with({10, 70, 80}), options);
  EXPECT_EQ(plan.features, 100U);
  EXPECT_THAT(taken(plan, 3), ::testing::ElementsAre(10, 45, 45));
}

TEST(PlanSample, RestOfTheShareGoesToTheFirstImages) {
  const CodebookOptions options{.words = 1, .features_per_word = 100};
  const SamplePlan plan = plan_sample(images_with({90, 90, 90}), options);
  ASSERT_EQ(plan.shares.size(), 3U);
  EXPECT_EQ(plan.shares[0].features, 34U);
  EXPECT_EQ(plan.shares[1].features, 33U);
  EXPECT_EQ(plan.shares[2].features, 33U);
}

TEST(PlanSample, AnImageWithExactlyItsShareGivesAll) {
  const CodebookOptions options{.words = 1, .features_per_word = 100};
  const SamplePlan plan = plan_sample(images_with({25, 100, 100, 100}), options);
  EXPECT_THAT(taken(plan, 4), ::testing::ElementsAre(25, 25, 25, 25));
}

TEST(PlanSample, AllFeaturesAreTakenWhereTheyDoNotReach) {
  const CodebookOptions options{.words = 2, .features_per_word = 100};
  const SamplePlan plan = plan_sample(images_with({10, 20}), options);
  EXPECT_EQ(plan.features, 30U);
  EXPECT_THAT(taken(plan, 2), ::testing::ElementsAre(10, 20));
}

TEST(PlanSample, ManyWordsGetFewerFeaturesEach) {
  const std::vector<SampleImage> images = images_with({50'000'000});
  EXPECT_EQ(plan_sample(images, {.words = 16384}).features, 16384U * 40);
  EXPECT_EQ(plan_sample(images, {.words = 32768}).features, 32768U * 32);
  EXPECT_EQ(plan_sample(images, {.words = 65536}).features, 65536U * 16);
  EXPECT_EQ(plan_sample(images, {.words = 262144}).features, 262144U * 16);
  EXPECT_EQ(plan_sample(images, {.words = 262144, .features_per_word = 4}).features, 262144U * 4);
}

TEST(PlanSample, OrderIsBySeededRankWhateverTheOrderOfTheImages) {
  const CodebookOptions options{.words = 1, .seed = 7};
  std::vector<SampleImage> images = images_with({5, 5, 5, 5, 5, 5});
  const auto contents = [&] {
    std::vector<ContentHash> order;
    for (const SampleShare& share : plan_sample(images, options).shares) {
      order.push_back(images[share.image].content);
    }
    return order;
  };
  const std::vector<ContentHash> before = contents();
  for (std::size_t i = 1; i < before.size(); ++i) {
    EXPECT_LT(sample_rank(before[i - 1], 7), sample_rank(before[i], 7));
  }
  std::reverse(images.begin(), images.end());
  EXPECT_EQ(contents(), before);
}

TEST(PlanSample, NoMoreImagesThanWantedAndEachContentOnce) {
  std::vector<SampleImage> images = images_with({5, 5, 5, 5});
  images.push_back({content(0), 5});
  EXPECT_EQ(plan_sample(images, {.words = 1}).shares.size(), 4U);
  EXPECT_EQ(plan_sample(images, {.words = 1, .sample_images = 3}).shares.size(), 3U);
}

TEST(PlanSample, TooFewFeaturesSaysHowManyAndHowManyWordsWouldDo) {
  const CodebookOptions options{.words = 4096, .features_per_word = 64};
  EXPECT_THAT(message(images_with({500, 780}), options),
              AllOf(HasSubstr("4096 words"), HasSubstr("the 1280 of 2 images"),
                    HasSubstr("for 20 words at 64 features a word"), HasSubstr("1280 at most")));
}

TEST(PlanSample, NoFeaturesAtAllIsAnError) {
  EXPECT_THAT(message({}, {}), HasSubstr("no features to train on in 0 images"));
  EXPECT_THAT(message(images_with({0, 0}), {}), HasSubstr("no features to train on in 2 images"));
}

// Image i has `counts[i]` features; feature j of it is the row (i, j, 0, ...).
FeatureSource source_of(const std::vector<std::size_t>& counts) {
  return [counts](const auto& visit) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      ImageFeatures image;
      image.image.content = content(static_cast<std::uint8_t>(i));
      image.features.keypoints.resize(counts[i]);
      image.features.descriptors.resize(counts[i] * 64);
      for (std::size_t j = 0; j < counts[i]; ++j) {
        image.features.descriptors[j * 64] = static_cast<float>(i);
        image.features.descriptors[j * 64 + 1] = static_cast<float>(j);
      }
      visit(image);
    }
  };
}

TEST(TakeSample, StrongestFeaturesOfEachImageInOrderOfRank) {
  const FeatureSource source = source_of({9, 9});
  const Sample sample =
      take_sample(sample_images_of(source), source, {.words = 1, .features_per_word = 4},
                  std::filesystem::temp_directory_path());
  ASSERT_EQ(sample.features.rows(), 4U);
  EXPECT_EQ(sample.words, 1U);
  const std::vector<float> values = sample.features.read(0, 4);
  const MatrixView<const float> rows(values, sample.features.cols());
  const float first = rows.row(0)[0];
  const float second = 1 - first;
  const float expected[4][2] = {{first, 0}, {first, 1}, {second, 0}, {second, 1}};
  for (std::size_t row = 0; row < 4; ++row) {
    EXPECT_EQ(rows.row(row)[0], expected[row][0]);
    EXPECT_EQ(rows.row(row)[1], expected[row][1]);
  }
}

// The message of the error that taking a sample throws.
std::optional<ErrorKind> error_kind(const std::vector<SampleImage>& images,
                                    const FeatureSource& source) {
  try {
    take_sample(images, source, {.words = 1}, std::filesystem::temp_directory_path());
  } catch (const Error& error) {
    return error.kind();
  }
  return std::nullopt;
}

TEST(TakeSample, DescriptorsOfTwoSizesAreAnError) {
  const FeatureSource mixed = [](const auto& visit) {
    ImageFeatures image;
    image.features.keypoints.resize(1);
    image.features.descriptors.resize(64);
    visit(image);
    image.image.content = content(1);
    image.features.descriptor_size = 128;
    image.features.descriptors.resize(128);
    visit(image);
  };
  EXPECT_EQ(error_kind(sample_images_of(mixed), mixed), ErrorKind::kInput);
}

TEST(TakeSample, ASourceThatPassesOtherImagesIsRefused) {
  const FeatureSource source = source_of({2, 2});
  EXPECT_EQ(error_kind(sample_images_of(source_of({2})), source), ErrorKind::kInternal);
  EXPECT_EQ(error_kind(sample_images_of(source_of({2, 2, 2})), source), ErrorKind::kInternal);
  EXPECT_EQ(error_kind(sample_images_of(source_of({2, 1})), source), ErrorKind::kInternal);
}

}  // namespace
}  // namespace lookalike
