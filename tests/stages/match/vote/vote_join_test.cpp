#include "stages/match/vote/vote_join.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "base/signature.h"
#include "stages/match/vote/shortlist.h"

namespace lookalike {
namespace {

constexpr std::int64_t kBlobRow = 0;  // of the blobs
constexpr std::uint32_t kThreshold = 24;
constexpr std::size_t kCandidates = 5;
constexpr std::size_t kShortlist = 12;

struct Feature {
  std::uint32_t word = 0;
  std::uint64_t signature = 0;
};

// An index of made images in three segments: with bursts, ties, removed images and a blank one.
class VoteJoinTest : public testing::Test {
 protected:
  static constexpr ImageId kImages = 60;
  static constexpr ImageId kBlank = 21;

  VoteJoinTest() : removed_(kImages + 1) {
    Random random(7);
    std::vector<std::uint64_t> centres(8);
    for (std::uint64_t& centre : centres) centre = random.bits();
    for (ImageId image = 1; image <= kImages; ++image) {
      if (image == kBlank) continue;
      if (image % 10 == 4) {
        images_[image] = images_[image - 1];  // a tie
      } else {
        for (int i = 5 + random.below(10); i > 0; --i) {
          const auto word = static_cast<std::uint32_t>(random.below(6));
          const std::uint64_t noise = random.bits() & random.bits() & random.bits();
          images_[image].push_back({3 * word, centres[word] ^ noise});
        }
        std::ranges::stable_sort(images_[image], {}, &Feature::word);
      }
    }
    for (const ImageId image : {8U, 33U}) removed_[image] = true;
    norms_.assign(kImages + 1, InvertedIndex::kNoNorm);
    for (const auto& [image, features] : images_) {
      if (removed_[image]) continue;
      std::map<std::uint32_t, double> counts;
      for (const Feature& feature : features) ++counts[feature.word];
      double squares = 0;
      for (const auto& [word, count] : counts) squares += count * count;
      norms_[image] = static_cast<float>(std::sqrt(squares));
      ++live_;
    }
  }

  // Images alternate between segments, and the lists come in no order.
  void visit_lists(std::uint32_t word,
                   const std::function<void(const EncodedPostings&)>& visit) const {
    for (const ImageId segment : {2U, 0U, 1U}) {
      std::vector<ImageId> images;
      std::vector<std::uint64_t> signatures;
      for (const auto& [image, features] : images_) {
        if (image / 7 % 3 != segment) continue;
        for (const Feature& feature : features) {
          if (feature.word != word) continue;
          images.push_back(image);
          signatures.push_back(feature.signature);
        }
      }
      if (images.empty()) continue;
      const Bytes blob = encode_postings(images, signatures, kBlobRow);
      visit(open_postings(blob, kBlobRow));
    }
  }

  ForEachList lists() const {
    return [this](std::uint32_t word, const auto& visit) { visit_lists(word, visit); };
  }
  ForEachListOf lists_of() const {
    return [this](std::span<const std::uint32_t> words, const auto& visit) {
      for (std::size_t i = 0; i < words.size(); ++i) {
        visit_lists(words[i], [&](const EncodedPostings& list) { visit(i, list); });
      }
    };
  }
  // Descends as the ids ascend.
  static ContentHash content_of(ImageId image) {
    ContentHash content{};
    content.front() = static_cast<std::uint8_t>(255 - image);
    return content;
  }

  std::vector<QueryWord> query_of(ImageId image) const {
    std::vector<QueryWord> words;
    for (const Feature& feature : images_.at(image)) {
      words.push_back(
          {feature.word, feature.signature, static_cast<std::uint32_t>(words.size()), 1});
    }
    return words;
  }

  // Images for which another one stands in, and so cannot be voted for by those far behind.
  bool is_voter(ImageId image, ImageId earlier) const {
    return !represented_.contains(earlier) || earlier + 3 >= image;
  }

  // Returns the batch of the live images in [first, end).
  std::vector<VoteJoin::Image> batch_of(ImageId first, ImageId end) {
    std::vector<VoteJoin::Image> batch;
    for (ImageId image = first; image < end; ++image) {
      if (norms_[image] <= 0) continue;
      if (words_[image].empty()) {
        for (const Feature& feature : images_.at(image)) words_[image].push_back(feature.word);
      }
      batch.push_back({image, words_[image], kCandidates, kShortlist});
    }
    return batch;
  }

  VoteJoin join(const std::vector<VoteJoin::Image>& batch, std::size_t range_postings,
                std::size_t most_pairs, std::size_t threads = 2) const {
    return VoteJoin(
        {lists_of(), content_of, norms_, removed_, live_, kThreshold, postings(), [] {}}, batch,
        [this](ImageId image, ImageId earlier) { return is_voter(image, earlier); }, threads,
        {.postings = range_postings, .near_postings = near_postings_, .pairs = most_pairs});
  }

  std::uint64_t postings() const {
    std::uint64_t count = 0;
    for (const auto& [image, features] : images_) count += features.size();
    return count;
  }

  // Compares the join of a batch with voting for each of its images.
  void expect_as_alone(ImageId first, ImageId end, std::size_t range_postings) {
    for (const std::size_t most_pairs : {0U, 40U, 100'000U}) {
      expect_as_alone(first, end, range_postings, most_pairs);
    }
  }
  //   most_pairs  that may be in memory
  void expect_as_alone(ImageId first, ImageId end, std::size_t range_postings,
                       std::size_t most_pairs) {
    const std::vector<VoteJoin::Image> batch = batch_of(first, end);
    VoteJoin joined = join(batch, range_postings, most_pairs);
    const Shortlist shortlist(lists(), content_of, norms_, removed_, kThreshold);
    std::size_t read = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (i == read) read = joined.read_pairs(i);
      const ImageId image = batch[i].id;
      ImageSet before(image);
      for (ImageId other = 0; other < image; ++other) {
        if (is_voter(image, other)) before.add(other);
      }
      const std::vector<QueryWord> query = query_of(image);
      const auto alone = shortlist.find(query, kShortlist, 1, nullptr, &before);
      const auto best = std::span(alone).first(std::min(alone.size(), kCandidates));
      const VoteJoin::Ranked ranked = joined.ranked(i);
      EXPECT_THAT(ranked.candidates, testing::ElementsAreArray(best)) << image;
      const VoteSpread spread = spread_of(alone);
      EXPECT_EQ(ranked.spread.images, spread.images) << image;
      EXPECT_FLOAT_EQ(static_cast<float>(ranked.spread.upper), static_cast<float>(spread.upper));
      EXPECT_FLOAT_EQ(static_cast<float>(ranked.spread.median), static_cast<float>(spread.median));
      EXPECT_FLOAT_EQ(static_cast<float>(ranked.spread.lower), static_cast<float>(spread.lower));
      std::vector<ImageId> candidates;
      for (const RankedImage& each : best) candidates.push_back(each.image);
      const auto sorted = [](std::vector<std::vector<WordPair>> pairs) {
        for (auto& each : pairs) {
          std::ranges::sort(each, {}, [](const WordPair& pair) {
            return std::tuple(pair.query_word, pair.place, pair.distance);
          });
        }
        return pairs;
      };
      EXPECT_EQ(sorted(joined.pairs(i, best)),
                sorted(word_pairs(query, candidates, lists(), kThreshold, 1)))
          << image;
      EXPECT_EQ(joined.signatures(i).size(), query.size());
    }
  }

  std::map<ImageId, std::vector<Feature>> images_;
  std::vector<bool> removed_;
  std::vector<float> norms_;
  std::size_t live_ = 0;
  std::size_t near_postings_ = 200;  // that may be in memory
  std::set<ImageId> represented_;
  std::map<ImageId, std::vector<std::uint32_t>> words_;
};

TEST_F(VoteJoinTest, RanksAsEachImageByItself) {
  for (const std::size_t range_postings : {1U, 100U, 100'000U}) {
    expect_as_alone(1, kImages + 1, range_postings);
    expect_as_alone(40, kImages + 1, range_postings);
    expect_as_alone(kImages, kImages + 1, range_postings);
  }
}

TEST_F(VoteJoinTest, NearPostingsNeedNotFitInMemory) {
  for (const std::size_t most : {0U, 20U, 60U}) {
    near_postings_ = most;
    expect_as_alone(40, kImages + 1, 100);
  }
}

TEST_F(VoteJoinTest, LeavesOutImagesForWhichOthersStand) {
  represented_ = {3, 12, 41, 42, 43, 55};
  for (const std::size_t range_postings : {80U, 100'000U}) {
    expect_as_alone(1, kImages + 1, range_postings);
    expect_as_alone(40, kImages + 1, range_postings);
  }
}

TEST_F(VoteJoinTest, ImagesOfTheBatchMayBeLeftOutLater) {
  const std::vector<VoteJoin::Image> batch = batch_of(30, kImages + 1);
  VoteJoin joined = join(batch, 100, 100);
  const std::size_t last = batch.size() - 1;
  for (ImageId image = 30; image + 3 < batch[last].id; ++image) represented_.insert(image);
  const auto left = joined.ranked(last).candidates;
  for (const RankedImage& each : left) {
    EXPECT_TRUE(each.image < 30 || each.image + 3 >= batch[last].id) << each.image;
  }
  EXPECT_THAT(left, testing::SizeIs(kCandidates));
}

TEST_F(VoteJoinTest, AJoinReadsLessForManyImages) {
  const VoteJoin::Limits limits;
  const auto all = VoteJoin::reads(batch_of(1, kImages + 1), postings(), live_, limits);
  EXPECT_LT(all.joined, all.alone);
  const auto one = VoteJoin::reads(batch_of(kImages, kImages + 1), postings(), live_, limits);
  EXPECT_GT(one.joined, one.alone);
}

}  // namespace
}  // namespace lookalike
