#include "stages/match/vote/query_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lookalike {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Words on the first axis at 0, 1, 2, ...; every threshold of word i is i.
Codebook line_of_words(std::size_t count) {
  Codebook codebook;
  codebook.words.assign(count * 64, 0);
  codebook.projection.assign(64 * 64, 0);
  for (std::size_t i = 0; i < 64; ++i) codebook.projection[i * 64] = 1;
  for (std::size_t i = 0; i < count; ++i) {
    codebook.words[i * 64] = static_cast<float>(i);
    codebook.thresholds.insert(codebook.thresholds.end(), 64, static_cast<float>(i));
  }
  return codebook;
}

FeatureSet features_at(const std::vector<float>& places) {
  FeatureSet features;
  for (const float place : places) {
    features.keypoints.push_back({.laplacian_sign = place > 2 ? 1 : -1});
    features.descriptors.push_back(place);
    features.descriptors.resize(features.descriptors.size() + 63, 0);
  }
  return features;
}

TEST(QueryWords, EachFeatureHasItsThreeNearestWordsUnderTheirOwnThresholds) {
  OpenClSession session;
  const Codebook codebook = line_of_words(6);
  WordAssigner assigner(session, codebook.word_matrix());
  constexpr std::uint64_t kAll = ~0ULL;
  EXPECT_THAT(
      query_words(features_at({3.2F, 0.9F}), codebook, assigner),
      ElementsAre(QueryWord{0, kAll, 1, -1}, QueryWord{1, 0, 1, -1}, QueryWord{2, kAll, 0, 1},
                  QueryWord{2, 0, 1, -1}, QueryWord{3, kAll, 0, 1}, QueryWord{4, 0, 0, 1}));
}

TEST(QueryWords, SmallCodebookGivesFewerWords) {
  OpenClSession session;
  const Codebook codebook = line_of_words(1);
  WordAssigner assigner(session, codebook.word_matrix());
  EXPECT_THAT(query_words(features_at({-1}), codebook, assigner),
              ElementsAre(QueryWord{0, 0, 0, -1}));
}

TEST(QueryWords, NoFeaturesHaveNoWords) {
  OpenClSession session;
  const Codebook codebook = line_of_words(4);
  WordAssigner assigner(session, codebook.word_matrix());
  EXPECT_THAT(query_words({}, codebook, assigner), IsEmpty());
}

}  // namespace
}  // namespace lookalike
