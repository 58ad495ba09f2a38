#include "tools/lab/synthesize/synthesize.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "storage/index_writer.h"
#include "tests/storage/encoded.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

constexpr std::uint64_t kSampleImages = 12;
constexpr std::size_t kSampleFeatures = 200;

// Image i of the sample has features of words of its own and of words that all have, some twice.
ImageToStore sample_image(std::uint64_t i) {
  Random random(i + 1);
  ImageToStore image;
  image.words.image.file.path = "/photos/" + std::string(1, static_cast<char>('a' + i)) + ".jpg";
  image.words.image.content[0] = static_cast<std::uint8_t>(i);
  image.words.image.width = 640;
  image.words.image.height = 480;
  image.sums = {640 * 480, 1, 2};
  std::map<std::uint32_t, std::uint32_t> counts;
  for (std::size_t k = 0; k < kSampleFeatures; ++k) {
    const auto word = static_cast<std::uint32_t>(k / 2);
    image.words.features.push_back({.word = word,
                                    .signature = random.bits(),
                                    .x = static_cast<float>(random.between(100, 540)),
                                    .y = static_cast<float>(random.between(100, 380)),
                                    .size = 20,
                                    .angle_degrees = 10,
                                    .laplacian_sign = 1});
    ++counts[word];
  }
  for (const auto& [word, count] : counts) image.words.histogram.push_back({word, count});
  return image;
}

class SynthesizeTest : public ::testing::Test {
 protected:
  SynthesizeTest() {
    IndexWriter writer(folder_.path() / "sample.db");
    Codebook codebook;
    codebook.descriptor_size = 4;
    codebook.words.assign(200 * 4, 0);
    codebook.projection.assign(kSignatureBits * 4, 0);
    codebook.thresholds.assign(200 * kSignatureBits, 0);
    writer.set_codebook(codebook, {});
    for (std::uint64_t i = 0; i < kSampleImages; ++i) {
      const ImageToStore image = sample_image(i);
      writer.publish(encoded({&image, 1}));
    }
  }

  std::vector<ImageToStore> make(const SynthesisOptions& options) {
    const IndexReader sample(folder_.path() / "sample.db");
    std::vector<ImageToStore> images;
    planted_ = synthesize(sample, options,
                          [&](ImageToStore image) { images.push_back(std::move(image)); });
    return images;
  }

  TemporaryFolder folder_;
  std::vector<PlantedCopy> planted_;
};

TEST_F(SynthesizeTest, TheSampleComesFirstAndTheNumberOfImagesIsAsWanted) {
  const auto images = make({.images = 50, .features = 100, .planted = 0, .seed = 1});
  ASSERT_EQ(images.size(), 50U);
  EXPECT_EQ(images[3].words.image.file.path, "/photos/d.jpg");
  EXPECT_EQ(images[3].words.features.size(), kSampleFeatures);
  std::set<ContentHash> contents;
  for (const ImageToStore& image : images) contents.insert(image.words.image.content);
  EXPECT_EQ(contents.size(), 50U);
}

TEST_F(SynthesizeTest, StrangersKeepWordsWithTheirBurstsAndFlipAQuarterOfTheBits) {
  const auto images = make({.images = 50, .features = 100, .planted = 0, .seed = 1});
  std::map<std::uint32_t, std::vector<std::uint64_t>> sampled;  // signatures by word
  for (std::uint64_t i = 0; i < kSampleImages; ++i) {
    for (const IndexedFeature& feature : images[i].words.features) {
      sampled[feature.word].push_back(feature.signature);
    }
  }
  double bits = 0;
  double features = 0;
  for (const ImageToStore& image : std::span(images).subspan(kSampleImages)) {
    ASSERT_EQ(image.words.features.size(), 100U);
    EXPECT_TRUE(std::ranges::is_sorted(image.words.features, {}, &IndexedFeature::word));
    for (const WordCount& entry : image.words.histogram) EXPECT_EQ(entry.count % 2, 0U);
    for (const IndexedFeature& feature : image.words.features) {
      int nearest = 64;
      for (const std::uint64_t signature : sampled.at(feature.word)) {
        nearest = std::min(nearest, std::popcount(signature ^ feature.signature));
      }
      bits += nearest;
      ++features;
    }
  }
  EXPECT_NEAR(bits / features, 16, 1);
}

TEST_F(SynthesizeTest, CopiesReplaceTheLastImagesAndKeepTheirGeometry) {
  const auto images = make({.images = 40, .features = 100, .planted = 2, .seed = 1});
  ASSERT_EQ(images.size(), 40U);
  ASSERT_EQ(planted_.size(), 2U);
  EXPECT_EQ(planted_[0].original, "/photos/k.jpg");
  EXPECT_EQ(planted_[1].original, "/photos/l.jpg");
  std::set<std::string> paths;
  for (const ImageToStore& image : images) paths.insert(image.words.image.file.path);
  EXPECT_FALSE(paths.contains("/photos/k.jpg"));
  EXPECT_TRUE(paths.contains(planted_[0].path));

  // The similarity of the quad maps a feature's place in the copy to its place in the original.
  const auto copy = std::ranges::find(images, planted_[1].path, [](const ImageToStore& image) {
    return image.words.image.file.path;
  });
  const Quad& quad = planted_[1].quad;
  const Point right = {(quad[1].x - quad[0].x) / 640, (quad[1].y - quad[0].y) / 640};
  const std::vector<IndexedFeature> original = sample_image(11).words.features;
  int found = 0;
  for (const IndexedFeature& feature : copy->words.features) {
    const Point at = {quad[0].x + right.x * feature.x - right.y * feature.y,
                      quad[0].y + right.y * feature.x + right.x * feature.y};
    found += static_cast<int>(std::ranges::count_if(original, [&](const IndexedFeature& other) {
      return other.word == feature.word && std::abs(other.x - at.x) < 2 &&
             std::abs(other.y - at.y) < 2 &&
             std::popcount(other.signature ^ feature.signature) < 16;
    }));
  }
  EXPECT_GE(found, 30);
  EXPECT_LE(found, 60);
}

TEST_F(SynthesizeTest, TheSeedAloneDecides) {
  const SynthesisOptions options = {.images = 30, .features = 50, .planted = 1, .seed = 4};
  const auto same = [](const std::vector<ImageToStore>& a, const std::vector<ImageToStore>& b) {
    return std::ranges::equal(a, b, [](const ImageToStore& x, const ImageToStore& y) {
      return x.words.image == y.words.image && x.words.features == y.words.features;
    });
  };
  const auto images = make(options);
  EXPECT_TRUE(same(images, make(options)));
  SynthesisOptions others = options;
  others.seed = 5;
  EXPECT_FALSE(same(images, make(others)));
}

TEST_F(SynthesizeTest, ImpossibleNumbersAreRefused) {
  EXPECT_THROW(make({.images = 5}), Error);
  EXPECT_THROW(make({.images = 100, .planted = 13}), Error);
}

}  // namespace
}  // namespace lookalike
