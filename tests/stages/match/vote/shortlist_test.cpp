#include "stages/match/vote/shortlist.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lookalike {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// An index in memory.
struct Postings {
  std::map<std::uint32_t, WordPostings> words;
  std::unordered_map<ImageId, float> norms;

  void add(std::uint32_t word, ImageId image, std::uint64_t signature) {
    words[word].images.push_back(image);
    words[word].signatures.push_back(signature);
  }

  std::vector<RankedImage> find(const std::vector<QueryWord>& query, std::size_t count = 10) const {
    const auto postings_of = [this](std::uint32_t word) {
      const auto found = words.find(word);
      return std::make_shared<const WordPostings>(found == words.end() ? WordPostings{}
                                                                       : found->second);
    };
    return Shortlist(postings_of, norms, 24).find(query, count);
  }
};

std::uint64_t bits(unsigned count) {
  return (1ULL << count) - 1;
}

double idf(double images, double images_with_word) {
  return std::log(1 + (images + 0.5) / (images_with_word + 0.5));
}

std::vector<ImageId> ids(const std::vector<RankedImage>& ranked) {
  std::vector<ImageId> result;
  for (const RankedImage& entry : ranked) result.push_back(entry.image);
  return result;
}

TEST(Shortlist, ScoreIsIdfSquaredByTheWeightOfTheDistanceOverTheNorms) {
  Postings index;
  index.norms = {{1, 2.0F}, {2, 1.0F}};
  index.add(7, 1, bits(8));
  const auto ranked = index.find({{7, 0, 0, 1}, {9, 0, 1, 1}});
  ASSERT_EQ(ranked.size(), 1U);
  EXPECT_EQ(ranked[0].image, 1U);
  const double expected = std::pow(idf(2, 1), 2) * std::exp(-0.25) / (2 * std::sqrt(2.0));
  EXPECT_NEAR(ranked[0].score, expected, 1e-5);
}

TEST(Shortlist, CollectionOfOneStillScores) {
  Postings index;
  index.norms = {{1, 1.0F}};
  index.add(0, 1, 0);
  EXPECT_GT(index.find({{0, 0, 0, 1}}).at(0).score, 0.1);
}

TEST(Shortlist, RareWordCountsForMore) {
  Postings index;
  index.norms = {{1, 1.0F}, {2, 1.0F}, {3, 1.0F}};
  for (const ImageId image : {2U, 3U}) index.add(0, image, 0);
  index.add(1, 1, 0);
  EXPECT_EQ(ids(index.find({{0, 0, 0, 1}, {1, 0, 1, 1}})).front(), 1U);
}

TEST(Shortlist, SignatureBeyondTheThresholdDoesNotVote) {
  Postings index;
  index.norms = {{1, 1.0F}, {2, 1.0F}};
  index.add(0, 1, bits(25));
  index.add(0, 2, bits(24));
  EXPECT_THAT(ids(index.find({{0, 0, 0, 1}})), ElementsAre(2U));
}

TEST(Shortlist, RepeatedWordCountsAsItsSquareRoot) {
  Postings index;
  index.norms = {{1, 1.0F}, {2, 1.0F}};
  for (int i = 0; i < 9; ++i) index.add(0, 1, 0);
  index.add(0, 2, 0);
  const auto ranked = index.find({{0, 0, 0, 1}});
  ASSERT_THAT(ids(ranked), ElementsAre(1U, 2U));
  EXPECT_NEAR(ranked[0].score / ranked[1].score, 3, 1e-4);
}

TEST(Shortlist, RepeatInTheQueryIsDampedAndCountsInItsNorm) {
  Postings index;
  index.norms = {{1, 1.0F}};
  index.add(0, 1, 0);
  const double once = index.find({{0, 0, 0, 1}}).at(0).score;
  const double four = index.find({{0, 0, 0, 1}, {0, 0, 1, 1}, {0, 0, 2, 1}, {0, 0, 3, 1}})[0].score;
  EXPECT_NEAR(four / once, 2.0 / 4.0, 1e-4);
}

TEST(Shortlist, OrderOfPostingsDoesNotMatter) {
  Postings index;
  Postings reversed;
  index.norms = reversed.norms = {{1, 3.0F}, {2, 4.0F}, {3, 5.0F}};
  for (ImageId image = 1; image <= 3; ++image) index.add(0, image, bits(image * 5));
  for (ImageId image = 3; image >= 1; --image) reversed.add(0, image, bits(image * 5));
  EXPECT_EQ(index.find({{0, 0, 0, 1}}), reversed.find({{0, 0, 0, 1}}));
}

TEST(Shortlist, BestComeFirstAndTiesGoToTheLowestId) {
  Postings index;
  index.norms = {{1, 1.0F}, {2, 1.0F}, {3, 1.0F}, {4, 2.0F}};
  for (const ImageId image : {4U, 3U, 2U, 1U}) index.add(0, image, image == 3 ? 0U : bits(4));
  EXPECT_THAT(ids(index.find({{0, 0, 0, 1}})), ElementsAre(3U, 1U, 2U, 4U));
  EXPECT_THAT(ids(index.find({{0, 0, 0, 1}}, 2)), ElementsAre(3U, 1U));
}

TEST(Shortlist, NothingInCommonGivesNothing) {
  Postings index;
  index.norms = {{1, 1.0F}};
  index.add(0, 1, 0);
  EXPECT_THAT(index.find({{5, 0, 0, 1}}), IsEmpty());
  EXPECT_THAT(index.find({}), IsEmpty());
  EXPECT_THAT(Postings{}.find({{5, 0, 0, 1}}), IsEmpty());
}

TEST(Shortlist, ImageWithoutANormIsNotCounted) {
  Postings index;
  index.norms = {{1, 1.0F}};
  index.add(0, 1, 0);
  index.add(0, 9, 0);
  EXPECT_THAT(ids(index.find({{0, 0, 0, 1}})), ElementsAre(1U));
}

}  // namespace
}  // namespace lookalike
