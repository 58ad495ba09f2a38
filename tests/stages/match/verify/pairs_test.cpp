#include "stages/match/verify/pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lookalike {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::uint64_t bits(unsigned count) {
  return (1ULL << count) - 1;
}

IndexedFeature feature(std::uint32_t word, std::uint64_t signature, std::int32_t sign = 1) {
  return {.word = word, .signature = signature, .laplacian_sign = sign};
}

TEST(PairFeatures, PairsNeedTheSameWordAndSignAndANearSignature) {
  const std::vector<QueryWord> query = {{1, 0, 0, 1}, {2, 0, 1, 1}, {3, 0, 2, 1}, {4, 0, 3, 1}};
  const std::vector<IndexedFeature> object = {feature(0, 0), feature(2, bits(24)),
                                              feature(3, 0, -1), feature(4, bits(25))};
  EXPECT_THAT(pair_features(query, object, 24), ElementsAre(FeaturePair{1, 1, 24}));
}

TEST(PairFeatures, NearestPairIsTakenFirstAndEachFeatureOnce) {
  const std::vector<QueryWord> query = {{5, 0, 0, 1}, {5, bits(3), 1, 1}};
  const std::vector<IndexedFeature> object = {feature(5, bits(4)), feature(5, bits(10))};
  EXPECT_THAT(pair_features(query, object, 24),
              ElementsAre(FeaturePair{1, 0, 1}, FeaturePair{0, 1, 10}));
}

TEST(PairFeatures, TiesGoToTheLowestFeatures) {
  const std::vector<QueryWord> query = {{5, 0, 3, 1}, {5, 0, 4, 1}};
  const std::vector<IndexedFeature> object = {feature(5, 0), feature(5, 0)};
  EXPECT_THAT(pair_features(query, object, 24),
              ElementsAre(FeaturePair{3, 0, 0}, FeaturePair{4, 1, 0}));
}

TEST(PairFeatures, FeatureWithSeveralWordsIsPairedOnce) {
  const std::vector<QueryWord> query = {{1, bits(2), 0, 1}, {6, bits(1), 0, 1}};
  const std::vector<IndexedFeature> object = {feature(1, 0), feature(6, 0)};
  EXPECT_THAT(pair_features(query, object, 24), ElementsAre(FeaturePair{0, 1, 1}));
}

TEST(PairFeatures, NothingPairsWithNothing) {
  const std::vector<QueryWord> query = {{1, 0, 0, 1}};
  const std::vector<IndexedFeature> object = {feature(1, 0)};
  EXPECT_THAT(pair_features({}, object, 64), IsEmpty());
  EXPECT_THAT(pair_features(query, {}, 64), IsEmpty());
}

}  // namespace
}  // namespace lookalike
