#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"
#include "base/signature.h"
#include "stages/match/verify/verification.h"
#include "stages/match/vote/word_pairs.h"

namespace lookalike {
namespace {

constexpr std::int64_t kPairsRow = 0;  // of the blobs

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::uint64_t bits(unsigned count) {
  return (1ULL << count) - 1;
}

IndexedFeature feature(std::uint32_t word, std::uint64_t signature, std::int32_t sign = 1) {
  return {.word = word, .signature = signature, .laplacian_sign = sign};
}

// Pairs the features of an image, by word, with a query through posting lists of their words.
std::vector<FeaturePair> pair_by_words(const std::vector<IndexedFeature>& object,
                                       const std::vector<QueryWord>& query,
                                       std::uint32_t threshold) {
  constexpr ImageId kImage = 7;
  StoredFeatures features;
  for (const IndexedFeature& each : object) {
    features.words.push_back(each.word);
    features.geometry.push_back({.laplacian_sign = each.laplacian_sign});
  }
  const auto for_each_list = [&](std::uint32_t word, const auto& visit) {
    std::vector<ImageId> images = {kImage - 1};  // of another image
    std::vector<std::uint64_t> signatures = {0};
    for (const IndexedFeature& each : object) {
      if (each.word != word) continue;
      images.push_back(kImage);
      signatures.push_back(each.signature);
    }
    const Bytes blob = encode_postings(images, signatures, kPairsRow);
    visit(open_postings(blob, kPairsRow));
  };
  const auto pairs = word_pairs(query, {&kImage, 1}, for_each_list, threshold, 2);
  return feature_pairs(features, query, pairs.front());
}

TEST(WordPairs, NeedTheSameWordAndSignAndANearSignature) {
  const std::vector<QueryWord> query = {{1, 0, 0, 1}, {2, 0, 1, 1}, {3, 0, 2, 1}, {4, 0, 3, 1}};
  const std::vector<IndexedFeature> object = {feature(0, 0), feature(2, bits(24)),
                                              feature(3, 0, -1), feature(4, bits(25))};
  EXPECT_THAT(pair_by_words(object, query, 24), ElementsAre(FeaturePair{1, 1, 24}));
}

TEST(WordPairs, NearestIsTakenFirstAndEachFeatureOnce) {
  const std::vector<QueryWord> query = {{5, 0, 0, 1}, {5, bits(3), 1, 1}};
  const std::vector<IndexedFeature> object = {feature(5, bits(4)), feature(5, bits(10))};
  EXPECT_THAT(pair_by_words(object, query, 24),
              ElementsAre(FeaturePair{0, 1, 1}, FeaturePair{1, 0, 10}));
}

TEST(WordPairs, TiesGoToTheLowestFeatures) {
  const std::vector<QueryWord> query = {{5, 0, 3, 1}, {5, 0, 4, 1}};
  const std::vector<IndexedFeature> object = {feature(5, 0), feature(5, 0)};
  EXPECT_THAT(pair_by_words(object, query, 24),
              ElementsAre(FeaturePair{0, 3, 0}, FeaturePair{1, 4, 0}));
}

TEST(WordPairs, FeatureWithSeveralWordsIsPairedOnce) {
  const std::vector<QueryWord> query = {{1, bits(2), 0, 1}, {6, bits(1), 0, 1}};
  const std::vector<IndexedFeature> object = {feature(1, 0), feature(6, 0)};
  EXPECT_THAT(pair_by_words(object, query, 24), ElementsAre(FeaturePair{1, 0, 1}));
}

TEST(WordPairs, NothingPairsWithNothing) {
  const std::vector<QueryWord> query = {{1, 0, 0, 1}};
  EXPECT_THAT(pair_by_words({feature(1, 0)}, {}, 64), IsEmpty());
  EXPECT_THAT(pair_by_words({}, query, 64), IsEmpty());
}

// Runs of an image begin and end anywhere in the blocks in which lists are decoded.
TEST(WordPairs, OfSeveralImagesHaveThePlacesOfTheirPostings) {
  std::vector<ImageId> images;
  std::vector<std::uint64_t> signatures;
  Random random(3);
  for (ImageId image = 1; image <= 200; ++image) {
    for (int i = random.below(3); i >= 0; --i) {
      images.push_back(image);
      signatures.push_back(random.bits());
    }
  }
  const Bytes blob = encode_postings(images, signatures, kPairsRow);
  const auto for_each_list = [&](std::uint32_t word, const auto& visit) {
    if (word == 9) visit(open_postings(blob, kPairsRow));
  };
  const std::vector<QueryWord> query = {{8, 0, 0, 1}, {9, random.bits(), 1, 1}};
  const std::vector<ImageId> wanted = {150, 3, 64, 200};
  const auto found = word_pairs(query, wanted, for_each_list, 64, 1);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::vector<WordPair> expected;
    for (std::size_t at = 0; at < images.size(); ++at) {
      if (images[at] != wanted[i]) continue;
      const auto place = static_cast<std::uint32_t>(expected.size());
      expected.push_back({1, place, hamming_distance(query[1].signature, signatures[at])});
    }
    EXPECT_EQ(found[i], expected) << wanted[i];
  }
}

TEST(FeaturePairs, APostingThatTheRecordLacksIsDamage) {
  const std::vector<QueryWord> query = {{1, 0, 0, 1}};
  const StoredFeatures object{{1, 2}, {{}, {}}};
  const std::vector<WordPair> pairs = {{0, 1, 0}};
  EXPECT_THROW(feature_pairs(object, query, pairs), Error);
}

// Features in a plane of descriptor space; the keypoint's x tells them apart.
struct Plane {
  FeatureSet features;

  void add(float a, float b, std::int32_t sign = 1) {
    std::vector<float> descriptor(64, 0);
    descriptor[0] = a;
    descriptor[1] = b;
    features.keypoints.push_back({.x = static_cast<float>(features.size()),
                                  .size = 20,
                                  .angle_degrees = 30,
                                  .laplacian_sign = sign});
    features.descriptors.insert(features.descriptors.end(), descriptor.begin(), descriptor.end());
  }
};

class PairDescriptors : public ::testing::Test {
 protected:
  std::vector<FeaturePair> pair() {
    return pair_descriptors(session_, object_.features, scene_.features);
  }

  OpenClSession session_;
  Plane object_;
  Plane scene_;
};

TEST_F(PairDescriptors, MostDistinctPairComesFirst) {
  object_.add(0, 0);
  object_.add(10, 0);
  scene_.add(9, 0);  // 1 from the second, 9 from the first
  scene_.add(0, 0);  // on the first
  const auto pairs = pair();
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0], (FeaturePair{0, 1, 0}));
  EXPECT_EQ(pairs[1].object, 1U);
  EXPECT_EQ(pairs[1].scene, 0U);
  EXPECT_NEAR(pairs[1].distance, 1.0 / 9, 1e-5);
}

TEST_F(PairDescriptors, FeatureBetweenTwoOfTheOtherSideIsNotDistinct) {
  object_.add(0, 0);
  object_.add(10, 0);
  scene_.add(5, 1);
  scene_.add(5, -1);
  EXPECT_THAT(pair(), IsEmpty());
}

TEST_F(PairDescriptors, SignsMustAgree) {
  object_.add(0, 0, 1);
  object_.add(10, 0, -1);
  object_.add(20, 0, -1);
  scene_.add(1, 0, -1);
  scene_.add(30, 0, -1);
  for (const FeaturePair& found : pair()) EXPECT_NE(found.object, 0U);
}

TEST_F(PairDescriptors, EveryCopyOfARepeatedFeatureIsPaired) {
  object_.add(0, 0);
  object_.add(50, 0);
  scene_.add(1, 0);
  scene_.add(0, 1);
  std::vector<std::uint32_t> scenes;
  for (const FeaturePair& found : pair()) {
    if (found.object == 0) scenes.push_back(found.scene);
  }
  EXPECT_THAT(scenes, UnorderedElementsAre(0U, 1U));
}

TEST_F(PairDescriptors, SingleFeaturesPairUp) {
  object_.add(0, 0);
  scene_.add(3, 0);
  EXPECT_THAT(pair(), ElementsAre(FeaturePair{0, 0, 0}));
}

TEST_F(PairDescriptors, NothingPairsWithNothing) {
  EXPECT_THAT(pair(), IsEmpty());
  object_.add(0, 0);
  EXPECT_THAT(pair(), IsEmpty());
}

TEST_F(PairDescriptors, SizesMustAgree) {
  scene_.features.descriptor_size = 128;
  EXPECT_THROW(pair(), Error);
}

TEST(OneToOne, EarlierPairsKeepTheirFeatures) {
  const std::vector<FeaturePair> pairs = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}};
  EXPECT_THAT(one_to_one(pairs), ElementsAre(pairs[0], pairs[3]));
}

// An image and a photo whose features i are pairs at a Hamming distance of 4 i bits, turned and
// enlarged alike but for the last.
Verification verify_turned(std::size_t count, const VerifyOptions& options) {
  Record record;
  record.image.width = record.image.height = 1000;
  IndexQuery query;
  query.width = query.height = 1000;
  std::vector<WordPair> pairs;
  for (std::uint32_t i = 0; i < count; ++i) {
    const float x = 100 + 90 * static_cast<float>(i);
    const float y = 100 + 40 * static_cast<float>(i * i % 17);
    record.features.words.push_back(i);
    record.features.geometry.push_back({x, y, 10, 0, 1});
    query.words.push_back({i, 0, i, 1});
    query.places.push_back({x, y, 10, i + 1 == count ? 180. : 0.});
    pairs.push_back({i, 0, 4 * i});
  }
  return verify(query, record, pairs, options);
}

TEST(Verify, WeighsPairsThatAgreeAsVotes) {
  const Verification verified = verify_turned(4, {});
  EXPECT_EQ(verified.agreeing.count, 3U);
  const double weight = 1 + std::exp(-16 / 256.) + std::exp(-64 / 256.);
  EXPECT_NEAR(verified.match.evidence.agreeing_votes, weight, 1e-5);
}

TEST(Verify, LooksForAPoseFromTheLeastInliersOn) {
  VerifyOptions options;
  options.min_inliers = 6;
  EXPECT_EQ(verify_turned(7, options).match.evidence.inliers, 6U);
  EXPECT_FALSE(verify_turned(6, options).match.has_pose());
  EXPECT_EQ(verify_turned(6, options).attempt.inliers, 0U);  // not even tried
}

}  // namespace
}  // namespace lookalike
