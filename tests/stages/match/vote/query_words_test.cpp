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
  codebook.projection.assign(std::size_t{64} * 64, 0);
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

std::vector<QueryWord> words_of(const std::vector<float>& places, const Codebook& codebook) {
  OpenClSession session;
  WordAssigner assigner(session, codebook);
  const Query photo = {.image = {}, .features = features_at(places)};
  const IndexQuery query = PhotoWords(photo, codebook, 3).query(assigner, 3, places.size());
  EXPECT_EQ(query.places.size(), places.size());
  return query.words;
}

TEST(IndexQueryOfAPhoto, EachFeatureHasItsThreeNearestWordsUnderTheirOwnThresholds) {
  const Codebook codebook = line_of_words(6);
  constexpr std::uint64_t kAllBits = ~0ULL;
  EXPECT_THAT(words_of({3.2F, 0.9F}, codebook),
              ElementsAre(QueryWord{0, kAllBits, 1, -1}, QueryWord{1, 0, 1, -1},
                          QueryWord{2, kAllBits, 0, 1}, QueryWord{2, 0, 1, -1},
                          QueryWord{3, kAllBits, 0, 1}, QueryWord{4, 0, 0, 1}));
}

TEST(IndexQueryOfAPhoto, OnlyTheFirstFeaturesHaveWordsButAllHavePlaces) {
  const Codebook codebook = line_of_words(6);
  OpenClSession session;
  WordAssigner assigner(session, codebook.word_matrix());
  const Query photo = {.image = {}, .features = features_at({3.2F, 0.9F})};
  const IndexQuery query = PhotoWords(photo, codebook, 1).query(assigner, 1, 1);
  EXPECT_THAT(query.words, ElementsAre(QueryWord{3, ~0ULL, 0, 1}));
  EXPECT_EQ(query.places.size(), 2U);
}

TEST(IndexQueryOfAPhoto, TheSecondLookFindsWhatItWouldFindAlone) {
  const Codebook codebook = line_of_words(6);
  OpenClSession session;
  WordAssigner assigner(session, codebook);
  const Query photo = {.image = {}, .features = features_at({3.2F, 0.9F, 4.7F})};
  PhotoWords words(photo, codebook, 4);
  EXPECT_EQ(words.query(assigner, 2, 1).words,
            PhotoWords(photo, codebook, 2).query(assigner, 2, 1).words);
  EXPECT_EQ(words.query(assigner, 4, 3).words,
            PhotoWords(photo, codebook, 4).query(assigner, 4, 3).words);
}

TEST(IndexQueryOfAPhoto, SmallCodebookGivesFewerWords) {
  const Codebook codebook = line_of_words(1);
  EXPECT_THAT(words_of({-1}, codebook), ElementsAre(QueryWord{0, 0, 0, -1}));
}

TEST(IndexQueryOfAPhoto, SmallCellsGiveFewerWords) {
  Codebook codebook = line_of_words(6);
  codebook.cells = {
      std::vector<float>(std::size_t{2} * 64), {0, 4, 6}, 1};  // words 0 to 3, and 4 and 5
  codebook.cells.centres[64] = 4;
  EXPECT_THAT(words_of({-1}, codebook),
              ElementsAre(QueryWord{0, 0, 0, -1}, QueryWord{1, 0, 0, -1}));
}

TEST(IndexQueryOfAPhoto, NoFeaturesHaveNoWords) {
  const Codebook codebook = line_of_words(4);
  EXPECT_THAT(words_of({}, codebook), IsEmpty());
}

TEST(IndexQueryOfAnImage, HasItsWordsAndPlacesAndExcludesIt) {
  Record record;
  record.image.id = 7;
  record.image.width = 40;
  record.image.height = 30;
  record.features = {{2}, {{.x = 3, .y = 4, .size = 12, .laplacian_sign = -1}}};
  const std::vector<std::uint64_t> signatures = {9};
  const IndexQuery query = index_query(record, signatures);
  EXPECT_EQ(query.excluded_image, ImageId{7});
  EXPECT_EQ(query.width, 40);
  EXPECT_EQ(query.height, 30);
  EXPECT_THAT(query.words, ElementsAre(QueryWord{2, 9, 0, -1}));
  EXPECT_EQ(query.places.at(0).y, 4);
}

}  // namespace
}  // namespace lookalike
