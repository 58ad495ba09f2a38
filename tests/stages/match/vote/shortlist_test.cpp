#include "stages/match/vote/shortlist.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/parallel.h"
#include "base/random.h"
#include "base/signature.h"

namespace lookalike {
namespace {

constexpr std::int64_t kPostingsRow = 0;  // of the blobs

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

OpenClSession& session() {
  static OpenClSession only;
  return only;
}

// An index in memory. A posting whose image is below that of the one before begins a new list.
struct Postings {
  std::map<std::uint32_t, std::vector<WordPostings>> words;
  std::unordered_map<ImageId, float> norms;
  std::vector<bool> removed;
  std::uint32_t threshold = 24;

  void add(std::uint32_t word, ImageId image, std::uint64_t signature) {
    std::vector<WordPostings>& lists = words[word];
    if (lists.empty() || lists.back().images.back() > image) lists.emplace_back();
    lists.back().images.push_back(image);
    lists.back().signatures.push_back(signature);
  }

  // Checks that the device ranks as the host does.
  std::vector<RankedImage> find(const std::vector<QueryWord>& query, std::size_t count = 10,
                                std::size_t threads = 1) const {
    auto ranked = shortlist(false).find(query, count, threads);
    EXPECT_EQ(shortlist(true).find(query, count, threads), ranked);
    return ranked;
  }

  void visit_lists(std::uint32_t word,
                   const std::function<void(const EncodedPostings&)>& visit) const {
    const auto found = words.find(word);
    if (found == words.end()) return;
    for (const WordPostings& list : found->second) {
      const Bytes blob = encode_postings(list.images, list.signatures, kPostingsRow);
      visit(open_postings(blob, kPostingsRow));
    }
  }

  // The index must outlive it.
  Shortlist shortlist(bool on_device) const {
    const auto for_each_list = [this](std::uint32_t word, const auto& visit) {
      visit_lists(word, visit);
    };
    // Descends as the ids ascend.
    const auto content_of = [](ImageId image) {
      ContentHash content{};
      for (std::size_t i = 0; i < sizeof image; ++i) {
        content[i] = static_cast<std::uint8_t>(~image >> (24 - 8 * i));
      }
      return content;
    };
    std::vector<float> by_image;
    for (const auto& [image, norm] : norms) {
      if (by_image.size() <= image) by_image.resize(std::size_t{image} + 1, IndexReader::kNoNorm);
      by_image[image] = norm;
    }
    Shortlist result(for_each_list, content_of, by_image, removed, threshold);
    if (on_device) {
      std::uint64_t postings = 0;
      for (const auto& [word, lists] : words) {
        for (const WordPostings& list : lists) postings += list.images.size();
      }
      const std::size_t word_count = words.empty() ? 1 : words.rbegin()->first + std::size_t{1};
      result.load(session(), for_each_list, word_count, postings, 2);
    }
    return result;
  }
};

std::uint64_t low_bits(unsigned count) {
  return (1ULL << count) - 1;
}

double idf(double images, double images_with_word) {
  return std::log(1 + (images + 0.5) / (images_with_word + 0.5));
}

std::vector<ImageId> ids(const std::vector<RankedImage>& ranked) {
  std::vector<ImageId> result;
  result.reserve(ranked.size());
  for (const RankedImage& entry : ranked) result.push_back(entry.image);
  return result;
}

TEST(Shortlist, ScoreIsIdfSquaredByTheWeightOfTheDistanceOverTheNorms) {
  Postings index;
  index.norms = {{1, 2.0F}, {2, 1.0F}};
  index.add(7, 1, low_bits(8));
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

TEST(Shortlist, OfSomeImagesLeavesTheFrequenciesOfWords) {
  Postings index;
  index.norms = {{1, 1.0F}, {2, 1.0F}, {70, 1.0F}};
  for (const ImageId image : {1U, 2U, 70U}) index.add(0, image, 0);
  const std::vector<QueryWord> query = {{0, 0, 0, 1}};
  const std::vector<RankedImage> all = index.find(query);
  ImageSet some(71);
  some.add(1);
  some.add(70);
  for (const bool on_device : {false, true}) {
    SeenPairs seen;
    const auto ranked = index.shortlist(on_device).find(query, 10, 1, &seen, &some);
    EXPECT_THAT(ids(ranked), testing::UnorderedElementsAre(1U, 70U));
    EXPECT_EQ(ranked.at(0).score, all.at(0).score);
    EXPECT_EQ(seen.parts.at(0).pairs.size(), 2U);
  }
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
  index.add(0, 1, low_bits(25));
  index.add(0, 2, low_bits(24));
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
  for (ImageId image = 1; image <= 3; ++image) index.add(0, image, low_bits(image * 5));
  for (ImageId image = 3; image >= 1; --image) reversed.add(0, image, low_bits(image * 5));
  EXPECT_EQ(index.find({{0, 0, 0, 1}}), reversed.find({{0, 0, 0, 1}}));
}

TEST(Shortlist, BestComeFirstAndTiesGoByContent) {
  Postings index;
  index.norms = {{1, 1.0F}, {2, 1.0F}, {3, 1.0F}, {4, 2.0F}};
  for (const ImageId image : {4U, 3U, 2U, 1U}) index.add(0, image, image == 3 ? 0U : low_bits(4));
  EXPECT_THAT(ids(index.find({{0, 0, 0, 1}})), ElementsAre(3U, 2U, 1U, 4U));
  EXPECT_THAT(ids(index.find({{0, 0, 0, 1}}, 2)), ElementsAre(3U, 2U));
}

TEST(Shortlist, TiesGoByContentEvenWhereMoreAreTiedThanAreKept) {
  Postings index;
  for (ImageId image = 1; image <= 5000; ++image) {
    index.norms[image] = image % 1000 == 0 ? 1.0F : 2.0F;
    index.add(0, image, 0);
  }
  EXPECT_THAT(ids(index.find({{0, 0, 0, 1}}, 2)), ElementsAre(5000U, 4000U));
}

// More than the device lists as candidates.
TEST(Shortlist, TiesGoByContentWhereAllAreTied) {
  Postings index;
  for (ImageId image = 1; image <= 50'000; ++image) {
    index.norms[image] = 2.0F;
    index.add(0, image, 0);
  }
  EXPECT_THAT(ids(index.find({{0, 0, 0, 1}}, 2)), ElementsAre(50'000U, 49'999U));
}

TEST(Shortlist, NothingInCommonGivesNothing) {
  Postings index;
  index.norms = {{1, 1.0F}};
  index.add(0, 1, 0);
  EXPECT_THAT(index.find({{5, 0, 0, 1}}), IsEmpty());
  EXPECT_THAT(index.find({}), IsEmpty());
  EXPECT_THAT(Postings{}.find({{5, 0, 0, 1}}), IsEmpty());
}

TEST(Shortlist, RemovedImagesNeitherVoteNorMakeAWordCommon) {
  Postings index;
  Postings without;
  index.norms = without.norms = {{1, 2.0F}, {3, 1.0F}};
  index.removed = {false, false, true};
  for (Postings* each : {&index, &without}) {
    for (int i = 0; i < 100; ++i) each->add(0, 1, low_bits(static_cast<unsigned>(i % 8)));
    if (each == &index) {
      for (int i = 0; i < 100; ++i) each->add(0, 2, 0);
    }
    each->add(0, 3, low_bits(2));
  }
  EXPECT_EQ(index.find({{0, 0, 0, 1}}), without.find({{0, 0, 0, 1}}));
}

// The definition, posting by posting, over lists that are longer than a block.
std::vector<RankedImage> expected_ranking(const Postings& index,
                                          const std::vector<QueryWord>& query) {
  struct Votes {
    std::uint64_t weight = 0;
    std::uint64_t count = 0;
  };
  std::map<ImageId, std::uint64_t> scores;
  std::map<std::uint32_t, std::vector<std::uint64_t>> words;
  for (const QueryWord& each : query) words[each.word].push_back(each.signature);
  double squares = 0;
  for (const auto& [word, signatures] : words) {
    squares += static_cast<double>(signatures.size() * signatures.size());
    std::map<ImageId, Votes> votes;
    for (const WordPostings& list : index.words.at(word)) {
      for (std::size_t i = 0; i < list.images.size(); ++i) {
        Votes& image = votes[list.images[i]];
        for (const std::uint64_t signature : signatures) {
          const unsigned distance = hamming_distance(signature, list.signatures[i]);
          if (distance > 24) continue;
          image.weight += static_cast<std::uint64_t>(
              std::lround((1 << 20) * std::exp(-(distance / 16.0) * (distance / 16.0))));
          ++image.count;
        }
      }
    }
    const double weight =
        idf(static_cast<double>(index.norms.size()), static_cast<double>(votes.size()));
    for (const auto& [image, vote] : votes) {
      if (vote.count == 0) continue;
      const double damped =
          static_cast<double>(vote.weight) / std::sqrt(static_cast<double>(vote.count));
      scores[image] += static_cast<std::uint64_t>(std::llround(weight * weight * damped));
    }
  }
  const double query_norm = std::sqrt(squares) * (1 << 20);
  std::vector<RankedImage> ranked;
  ranked.reserve(scores.size());
  for (const auto& [image, score] : scores) {
    ranked.push_back(
        {image, static_cast<double>(score) / (query_norm * double{index.norms.at(image)})});
  }
  std::ranges::sort(ranked, [](const RankedImage& a, const RankedImage& b) {
    return a.score != b.score ? a.score > b.score : a.image > b.image;
  });
  return ranked;
}

constexpr ImageId kImages = 4000;

// Lists longer than a block, in two segments, with bursts, and a query for them.
struct LongLists {
  Postings index;
  std::vector<QueryWord> query;
};

LongLists long_lists() {
  Random random(3);
  LongLists lists;
  auto& [index, query] = lists;
  for (ImageId image = 1; image <= kImages; ++image)
    index.norms[image] = static_cast<float>(1 + image % 7);
  for (std::uint32_t word = 0; word < 40; ++word) {
    for (int segment = 0; segment < 2; ++segment) {
      const ImageId half = kImages / 2;
      for (ImageId image = segment == 0 ? half + 1 : 1; image <= (segment == 0 ? kImages : half);
           image += 1 + static_cast<ImageId>(random.below(1 + 20 * (static_cast<int>(word) % 3)))) {
        for (int burst = random.below(3); burst >= 0; --burst)
          index.add(word, image, random.bits());
      }
    }
    for (int burst = random.below(4); burst >= 0; --burst) {
      query.push_back({word, random.bits(), static_cast<std::uint32_t>(query.size()), 1});
    }
  }
  return lists;
}

TEST(Shortlist, LongListsAreScoredAsDefinedOnAnyNumberOfThreads) {
  const auto [index, query] = long_lists();
  const auto expected = expected_ranking(index, query);
  ASSERT_GT(expected.size(), 3000U);
  for (const std::size_t threads : {1U, 2U, 5U}) {
    EXPECT_EQ(index.find(query, kImages, threads), expected);
    const auto best = index.find(query, 5, threads);
    EXPECT_TRUE(std::ranges::equal(best, std::span(expected).first(5)));
  }
}

TEST(Shortlist, DeviceRanksAsTheHostDoesWhateverTheThresholdAndTheDepth) {
  auto [index, query] = long_lists();
  index.removed.assign(kImages, false);
  for (std::size_t image = 3; image < kImages; image += 11) {
    index.removed[image] = true;
    index.norms.erase(static_cast<ImageId>(image));
  }
  for (const std::uint32_t threshold : {0U, 24U, 62U, 64U}) {
    index.threshold = threshold;
    for (const std::size_t count : {0U, 1U, 100U, 4000U}) index.find(query, count);
  }
}

using PairsOfImages = std::vector<std::vector<WordPair>>;

PairsOfImages in_order(PairsOfImages pairs) {
  for (std::vector<WordPair>& each : pairs) {
    std::ranges::sort(each, {}, [](const WordPair& pair) {
      return std::tuple(pair.query_word, pair.place, pair.distance);
    });
  }
  return pairs;
}

// Votes that keep the pairs they meet, and word_pairs() after them.
class SeenPairsTest : public ::testing::Test {
 protected:
  struct Found {
    PairsOfImages pairs;
    std::vector<std::uint32_t> read;  // words whose lists were read
  };

  SeenPairsTest() {
    index_.removed.assign(kImages, false);
    for (std::size_t image = 3; image < kImages; image += 11) index_.removed[image] = true;
  }

  SeenPairs vote(const std::vector<QueryWord>& words, std::size_t most_seen = 1 << 20,
                 bool on_device = false) const {
    SeenPairs seen{{QueryWord{}}, {{0, 1}}};  // of an earlier vote
    index_.shortlist(on_device).find(words, 10, 2, &seen, nullptr, most_seen);
    return seen;
  }

  Found find(const std::vector<QueryWord>& words, const SeenPairs& seen = {}) const {
    Found found;
    const auto for_each_list = [&](std::uint32_t word, const auto& visit) {
      found.read.push_back(word);
      index_.visit_lists(word, visit);
    };
    found.pairs = in_order(word_pairs(words, kWanted, for_each_list, index_.threshold, 1, seen));
    return found;
  }

  // A query word like the first posting of image 1 under the word.
  QueryWord of_image_1(std::uint32_t word, std::uint32_t feature) const {
    const WordPostings& list = index_.words.at(word).at(1);
    EXPECT_EQ(list.images.front(), 1U);
    return {word, list.signatures.front(), feature, 1};
  }

  inline static const std::vector<ImageId> kWanted = {1001, 2, 3999, 1, 1000};

  LongLists lists_ = long_lists();
  Postings& index_ = lists_.index;
  std::vector<QueryWord>& query_ = lists_.query;
};

TEST_F(SeenPairsTest, NeedNotBeLookedForAgain) {
  const Found expected = find(query_);
  EXPECT_THAT(expected.pairs, Each(Not(IsEmpty())));
  const Found found = find(query_, vote(query_));
  EXPECT_EQ(found.pairs, expected.pairs);
  EXPECT_THAT(found.read, IsEmpty());
}

TEST_F(SeenPairsTest, OnlyWordsThatAreNewAreLookedFor) {
  std::vector<QueryWord> voted = query_;
  std::erase_if(voted, [](const QueryWord& word) { return word.word == 10; });
  voted.insert(std::ranges::upper_bound(voted, 30U, {}, &QueryWord::word),
               of_image_1(30, 2000));  // which the query lacks
  for (const std::uint32_t word : {10U, 20U}) {
    query_.insert(std::ranges::upper_bound(query_, word, {}, &QueryWord::word),
                  of_image_1(word, 1000 + word));
  }
  const Found expected = find(query_);
  const Found found = find(query_, vote(voted));
  EXPECT_EQ(found.pairs, expected.pairs);
  EXPECT_THAT(found.read, ElementsAre(10, 20));
  std::vector<std::uint32_t> of_new_words;
  for (const WordPair& pair : found.pairs[3]) {
    const QueryWord& word = query_[pair.query_word];
    if (word.feature >= 1000) of_new_words.push_back(word.word);
  }
  EXPECT_THAT(of_new_words, ::testing::IsSupersetOf({10U, 20U}));
}

TEST_F(SeenPairsTest, AreCompleteForAWordOrLeftOut) {
  const Found expected = find(query_);
  for (const std::size_t most_seen : {0U, 1U, 2000U}) {
    const Found found = find(query_, vote(query_, most_seen));
    EXPECT_EQ(found.pairs, expected.pairs);
    EXPECT_EQ(found.read.size() == expected.read.size(), most_seen == 0) << found.read.size();
    EXPECT_THAT(found.read, Not(IsEmpty()));
  }
}

TEST_F(SeenPairsTest, OfAWordWithTooManyAreLeftOut) {
  index_.threshold = 61;  // nearly all of its 8,000 postings are near
  std::vector<QueryWord> query;
  for (std::uint32_t feature = 0; feature < 1000; ++feature) {
    query.push_back(of_image_1(9, feature));
  }
  const SeenPairs seen = vote(query, std::numeric_limits<std::size_t>::max());
  for (const SeenPairs::Part& part : seen.parts) EXPECT_THAT(part.pairs, IsEmpty());
  EXPECT_EQ(find(query, seen).pairs, find(query).pairs);
}

TEST_F(SeenPairsTest, AreOfVotesOnTheHostAlone) {
  const SeenPairs seen = vote(query_, 1 << 20, true);
  EXPECT_THAT(seen.words, IsEmpty());
  EXPECT_THAT(seen.parts, IsEmpty());
}

// Votes of more than 61 bits have no weight.
TEST_F(SeenPairsTest, BeyondTheDistanceOfVotesAreLookedFor) {
  for (const std::uint32_t threshold : {61U, 62U}) {
    index_.threshold = threshold;
    const Found found = find(query_, vote(query_));
    EXPECT_EQ(found.pairs, find(query_).pairs);
    EXPECT_EQ(found.read.empty(), threshold == 61);
  }
}

TEST(Shortlist, QueriesAskedAtTheSameTimeGetTheAnswersThatTheyGetAlone) {
  const LongLists lists = long_lists();
  const Postings& index = lists.index;
  const std::vector<QueryWord>& query = lists.query;
  const Shortlist host = index.shortlist(false);
  const Shortlist device = index.shortlist(true);
  parallel_for(100, 8, [&](std::size_t i) {
    const auto words = std::span(query).subspan(i % 40, 1 + i % 20);
    const std::size_t count = 5 + i % 2;
    EXPECT_EQ(device.find(words, count, 1), host.find(words, count, 1));
  });
}

TEST(Shortlist, ListsThatDoNotFitTheDeviceAreAnError) {
  const LongLists lists = long_lists();
  const Postings& index = lists.index;
  const std::vector<QueryWord>& query = lists.query;
  OpenClSession small({.memory_limit_bytes = 1 << 16});
  Shortlist shortlist = index.shortlist(false);
  const auto before = shortlist.find(query, 10, 1);
  const auto nothing = [](std::uint32_t, const auto&) {};
  EXPECT_THROW(shortlist.load(small, nothing, 40, std::uint64_t{1} << 50, 1), DeviceOutOfMemory);
  EXPECT_THROW(
      shortlist.load(
          small, [&](std::uint32_t word, const auto& visit) { index.visit_lists(word, visit); }, 40,
          100'000, 1),
      DeviceOutOfMemory);
  EXPECT_EQ(shortlist.find(query, 10, 1), before);
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
