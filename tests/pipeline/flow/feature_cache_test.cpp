#include "pipeline/flow/feature_cache.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class FeatureCacheTest : public ::testing::Test {
 protected:
  FeatureCacheTest() { config_.store.database = folder_.path() / "index.db"; }

  fs::path work() const { return config_.store.database + ".work"; }
  static ContentHash content(std::uint8_t number) { return {number}; }
  static SourceFile file(const std::string& path) { return {path, 5, 6}; }
  static Item item(std::uint8_t number) {
    const ImageRecord record = {file("/a/" + std::to_string(number)), content(number), 640, 480};
    FeatureSet features;
    features.descriptor_size = 2;
    features.keypoints.resize(1);
    features.descriptors = {static_cast<float>(number), 0.5F};
    return {.file = record.file,
            .content = record.content,
            .sums = {100, 1000, 20'000 + std::uint64_t{number}},
            .state = ImageFeatures{record, std::move(features)}};
  }
  static void add(FeatureCache& cache, std::uint8_t number) {
    Item added = item(number);
    cache.add(added);
    EXPECT_TRUE(added.is<CachedFeatures>());
  }
  // Loads the cached features of a content for the file "/b".
  static Item load(FeatureCache& cache, std::uint8_t number) {
    Item loaded{.file = file("/b"), .content = content(number), .state = CachedFeatures{}};
    cache.load({&loaded, 1});
    return loaded;
  }
  void keep(std::uint8_t count) const {
    FeatureCache cache(config_);
    for (std::uint8_t i = 0; i < count; ++i) add(cache, i);
    cache.flush();
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(work()), fs::directory_iterator()));
  }

  TemporaryFolder folder_;
  RunConfig config_;
};

TEST_F(FeatureCacheTest, AnEarlierRunsImageIsGivenUnderTheFileThatHasItNow) {
  keep(3);
  FeatureCache cache(config_);
  ASSERT_TRUE(cache.contains(content(1)));
  EXPECT_FALSE(cache.contains(content(3)));
  const Item loaded = load(cache, 1);
  EXPECT_EQ(loaded.sums, item(1).sums);
  EXPECT_FALSE(loaded.blank);
  const auto& features = std::get<ImageFeatures>(loaded.state);
  EXPECT_EQ(features.image, (ImageRecord{file("/b"), content(1), 640, 480}));
  EXPECT_THAT(features.features.descriptors, ElementsAre(1.0F, 0.5F));
}

TEST_F(FeatureCacheTest, ImagesOfManyChunksAndOfThisRunAreFoundInAnyOrder) {
  keep(75);
  FeatureCache cache(config_);
  for (std::uint8_t i = 140; i < 160; ++i) add(cache, i);
  cache.flush();
  EXPECT_FALSE(cache.contains(content(155))) << "an earlier run did not leave it";
  for (const std::uint8_t i : std::initializer_list<std::uint8_t>{159, 0, 149, 70, 150, 64, 1}) {
    EXPECT_EQ(load(cache, i).sums, item(i).sums);
  }
}

TEST_F(FeatureCacheTest, ImageBelowTheLeastVarianceIsBlank) {
  config_.variance.blank_below = 101;
  Item flat = item(1);
  flat.sums = {100, 1000, 20'000};
  flat.blank = true;
  std::get<ImageFeatures>(flat.state).features = {};
  {
    FeatureCache cache(config_);
    cache.add(flat);
    cache.flush();
  }
  EXPECT_TRUE(flat.is<ImageFeatures>());
  FeatureCache cache(config_);
  EXPECT_TRUE(load(cache, 1).blank);
}

TEST_F(FeatureCacheTest, ChunkThatIsNotWholeIsRemovedAndTheOthersStay) {
  keep(75);
  EXPECT_EQ(files(), 6U);
  for (const auto& entry : fs::directory_iterator(work())) {
    const std::string name = entry.path().filename();
    if (name.ends_with("-000001.features")) fs::resize_file(entry.path(), entry.file_size() - 1);
    if (name.ends_with("-000002.statistics")) fs::remove(entry.path());
  }
  const FeatureCache cache(config_);
  EXPECT_TRUE(cache.contains(content(31)));
  EXPECT_FALSE(cache.contains(content(32)));
  EXPECT_FALSE(cache.contains(content(74)));
  EXPECT_EQ(files(), 2U);
}

TEST_F(FeatureCacheTest, WhatOtherSettingsLeftIsRemoved) {
  keep(3);
  config_.extract.octaves = 3;
  EXPECT_FALSE(FeatureCache(config_).contains(content(1)));
  EXPECT_EQ(files(), 0U);
  keep(3);
  config_.variance.blank_below = 5;
  EXPECT_FALSE(FeatureCache(config_).contains(content(1)));
}

TEST_F(FeatureCacheTest, AFileInThePlaceOfTheFolderStays) {
  std::ofstream(work()) << "mine";
  try {
    const FeatureCache cache(config_);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kStorage);
  }
  EXPECT_EQ(fs::file_size(work()), 4U);
}

TEST_F(FeatureCacheTest, LinkInThePlaceOfTheFolderIsRefusedAndWhatItNamesStays) {
  const std::string file = folder_.write("elsewhere/precious.features", "not ours");
  fs::create_directory_symlink(folder_.path() / "elsewhere", work());
  try {
    const FeatureCache cache(config_);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kStorage);
  }
  EXPECT_TRUE(fs::exists(file));
}

TEST_F(FeatureCacheTest, AFolderOfSomebodyElseIsRefusedAndLeftAsItIs) {
  fs::create_directory(work());
  std::ofstream(work() / "thesis.txt") << "chapter 1";
  try {
    FeatureCache cache(config_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kStorage);
    EXPECT_THAT(error.what(), testing::HasSubstr("thesis.txt, which lookalike did not write"));
  }
  EXPECT_TRUE(fs::exists(work() / "thesis.txt"));
}

TEST_F(FeatureCacheTest, NothingIsLeftOnceItIsDiscarded) {
  keep(3);
  FeatureCache(config_).discard();
  EXPECT_FALSE(fs::exists(work()));
}

}  // namespace
}  // namespace lookalike
