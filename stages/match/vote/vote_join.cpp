#include "stages/match/vote/vote_join.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "stages/match/vote/device_votes.h"
#include "stages/match/vote/runs.h"

namespace lookalike {
namespace {

// Maximum number of images whose features a thread compares with a list in one go.
constexpr std::size_t kMostJoinedAtOnce = 256;
// Minimum number of goes of each thread, so that all threads end at about the same time.
constexpr std::size_t kTurns = 4;
// Images whose pairs read_pairs() reads again together: before their number is known, and minimum.
constexpr std::size_t kFirstPairs = 256;
constexpr std::size_t kLeastPairs = 64;

// Returns the distinct words of a batch, ascending.
std::vector<std::uint32_t> words_of(std::span<const VoteJoin::Image> batch) {
  std::vector<bool> has_word;
  for (const VoteJoin::Image& image : batch) {
    if (image.words.empty()) continue;
    if (has_word.size() <= image.words.back()) has_word.resize(image.words.back() + std::size_t{1});
    for (const std::uint32_t word : image.words) has_word[word] = true;
  }
  std::vector<std::uint32_t> words;
  for (std::size_t word = 0; word < has_word.size(); ++word) {
    if (has_word[word]) words.push_back(static_cast<std::uint32_t>(word));
  }
  return words;
}

// Calls visit(feature, list, at, distance) for each of an image's features, which ascend by word,
// and each near posting of its word, and end_word(word) after those of a word.
template <typename Feature, typename Visit, typename EndWord>
void for_each_near_of(std::span<const Feature> features, const PostingRange& range,
                      std::uint32_t threshold, const Visit& visit, const EndWord& end_word) {
  for_each_run(
      features,
      [&](std::size_t begin, std::size_t end) {
        const std::uint32_t word = features[begin].word;
        const PostingRange::List list = range.list(word);
        for_each_near(features.subspan(begin, end - begin), list, threshold,
                      [&](const Feature& feature, std::size_t at, std::uint32_t distance) {
                        visit(feature, list, at, distance);
                      });
        end_word(word);
      },
      &Feature::word);
}

// Splits the images [0, end) into ranges with about `most` postings each.
//   postings, images  of the whole index
std::vector<std::pair<ImageId, ImageId>> ranges_before(ImageId end, std::uint64_t postings,
                                                       std::size_t images, std::size_t most) {
  const double each =
      static_cast<double>(postings) / static_cast<double>(std::max<std::size_t>(1, images));
  const auto length =
      static_cast<std::uint64_t>(std::max(1.0, static_cast<double>(most) / std::max(1.0, each)));
  std::vector<std::pair<ImageId, ImageId>> ranges;
  for (std::uint64_t first = 0; first < end; first += length) {
    ranges.emplace_back(static_cast<ImageId>(first),
                        static_cast<ImageId>(std::min<std::uint64_t>(end, first + length)));
  }
  return ranges;
}

// Returns the spread of the best `length` of some scores.
VoteSpread spread_of(std::vector<float> scores, std::size_t length) {
  const std::size_t size = std::min(scores.size(), length);
  if (size == 0) return {};
  const auto at = [&](std::size_t quarter) -> double {
    const auto nth = scores.begin() + static_cast<std::ptrdiff_t>(quarter * size / 4);
    std::nth_element(scores.begin(), nth, scores.end(), std::greater<>());
    return *nth;
  };
  return {size, at(1), at(2), at(3)};
}

// Returns by image of a range: its number in `images` plus 1, or 0.
std::vector<std::uint32_t> numbers_in(const PostingRange& range, std::span<const ImageId> images) {
  std::vector<std::uint32_t> numbers(range.end() - range.first());
  for (std::size_t at = 0; at < images.size(); ++at) {
    numbers[images[at] - range.first()] = static_cast<std::uint32_t>(at) + 1;
  }
  return numbers;
}

}  // namespace

VoteJoin::VoteJoin(Index index, std::span<const Image> batch, IsVoter is_voter, std::size_t threads,
                   Limits limits)
    : index_(std::move(index)),
      is_voter_(std::move(is_voter)),
      threads_(threads),
      limits_(limits),
      weights_(voting_weights(index_.hamming_threshold)),
      batch_(batch.begin(), batch.end()),
      words_(words_of(batch)),
      own_(index_.for_each_list, {words_, index_.removed}, batch.front().id, batch.back().id + 1,
           threads),
      joined_at_once_(kMostJoinedAtOnce),
      work_(threads),
      ranges_(
          ranges_before(batch.front().id, index_.postings, index_.image_count, limits.postings)),
      read_(batch.size()) {
  set_features(batch);
  late_.resize(batch_.size());
  for (const Image& image : batch_) early_.push_back({BestImages(image.candidates, 0)});
  std::vector<std::size_t> all(batch_.size());
  std::iota(all.begin(), all.end(), 0);
  join(all, own_, [&](std::size_t i, const Near& near, Work& work) {
    vote(i, near, work);
    late_[i].reserve(i);
    for (std::size_t j = 0; j < i; ++j) {
      late_[i].push_back(work.scores[batch_[j].id - own_.first()]);
    }
  });
  for (std::size_t r = 0; r < ranges_.size(); ++r) {
    join(all, range(r), [&](std::size_t i, const Near& near, Work& work) {
      vote(i, near, work);
      keep_best(i, near.range, work.scores);
      keep_pairs(i, near);
    });
  }
  work_ = std::vector<Work>(threads_);
}

// Sets the features of the batch, from its postings, the norms of its histograms, and the idf of
// its words.
void VoteJoin::set_features(std::span<const Image> batch) {
  features_.resize(batch.size());
  std::vector<std::size_t> places(own_.end() - own_.first(), batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    places[batch[i].id - own_.first()] = i;
    features_[i].reserve(batch[i].words.size());
  }
  for (std::size_t word = 0; word < words_.size(); ++word) {
    const PostingRange::List list = own_.list(word);
    for (std::size_t i = 0; i < list.images.size(); ++i) {
      const std::size_t place = places[list.images[i] - own_.first()];
      if (place == batch.size()) continue;
      features_[place].push_back({static_cast<std::uint32_t>(word), list.signatures[i]});
    }
  }
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (features_[i].size() != batch[i].words.size()) {
      throw Error(ErrorKind::kStorage,
                  "an image's postings and its histogram differ: run `lookalike check`");
    }
    query_norms_.push_back(norm_of(features_[i], &Feature::word) * kVotingOne);
  }
  for (std::size_t word = 0; word < words_.size(); ++word) {
    idf_.push_back(inverse_frequency(index_.image_count, own_.frequency(word)));
  }
}

// Returns the postings of the i-th range before the batch. Reads them unless it was the last range
// read.
const PostingRange& VoteJoin::range(std::size_t i) {
  const auto [first, end] = ranges_[i];
  if (!loaded_ || loaded_->first() != first) {
    index_.before_range();
    loaded_.reset();  // before the next one takes memory
    loaded_ = std::make_unique<PostingRange>(
        index_.for_each_list, PostingRange::Words{words_, index_.removed}, first, end, threads_);
  }
  return *loaded_;
}

// Returns the features of some images of the batch by word; image: number in `images`.
std::vector<BatchFeature> VoteJoin::by_word(std::span<const std::size_t> images) const {
  std::vector<std::size_t> next(words_.size());
  for (const std::size_t i : images) {
    for (const Feature& feature : features_[i]) ++next[feature.word];
  }
  std::size_t count = 0;
  for (std::size_t& each : next) count += std::exchange(each, count);
  std::vector<BatchFeature> sorted(count);
  for (std::size_t at = 0; at < images.size(); ++at) {
    const std::vector<Feature>& features = features_[images[at]];
    for (std::size_t number = 0; number < features.size(); ++number) {
      const Feature& feature = features[number];
      sorted[next[feature.word]++] = {feature.word, static_cast<std::uint32_t>(at),
                                      static_cast<std::uint32_t>(number), feature.signature};
    }
  }
  return sorted;
}

// Calls use(i, near, work) for each of some images of the batch with their near postings of a
// range, from several threads.
template <typename Use>
void VoteJoin::join(std::span<const std::size_t> images, const PostingRange& range,
                    const Use& use) {
  const std::size_t most_near = limits_.near_postings / threads_;
  std::atomic<std::size_t> taken = 0;
  parallel_for(threads_, threads_, [&](std::size_t thread) {
    Work& work = work_[thread];
    NearPostings& found = work.found;
    for (;;) {
      const std::size_t count =
          std::min(joined_at_once_.load(), images.size() / (kTurns * threads_) + 1);
      const std::size_t begin = taken.fetch_add(count);
      if (begin >= images.size()) return;
      auto left = images.subspan(begin, std::min(count, images.size() - begin));
      while (!left.empty()) {
        const auto some = left.first(std::min(left.size(), joined_at_once_.load()));
        const bool is_found =
            found.find(by_word(some), some.size(), range, index_.hamming_threshold, most_near);
        if (!is_found && some.size() > 1) {
          joined_at_once_ = some.size() / 2;
          continue;
        }
        for (std::size_t at = 0; at < some.size(); ++at) {
          use(some[at], is_found ? Near{range, found.of(at)} : Near{range, {}}, work);
        }
        if (found.size() < most_near / 4) {
          joined_at_once_ = std::clamp(2 * some.size(), joined_at_once_.load(), kMostJoinedAtOnce);
        }
        left = left.subspan(some.size());
      }
    }
  });
}

// Sets work.scores to the votes of the i-th image for each image of a range.
void VoteJoin::vote(std::size_t i, const Near& near, Work& work) const {
  const ImageId first = near.range.first();
  work.scores.assign(near.range.end() - first, 0);
  work.votes.resize(work.scores.size());  // all are empty before and after each word
  const std::span<const Feature> features = features_[i];
  const auto add = [&](ImageId image, std::uint32_t distance) {
    if (distance > weights_.threshold) return;
    Votes& votes = work.votes[image - first];
    if (votes.count == 0) work.voted.push_back(image - first);
    ++votes.count;
    votes.weight += weights_.weights[distance];
  };
  const auto end_word = [&](std::uint32_t word) {
    for (const std::uint32_t at : work.voted) {
      const Votes votes = std::exchange(work.votes[at], {});
      work.scores[at] += vote_score(idf_[word], votes.count, votes.weight);
    }
    work.voted.clear();
  };
  if (!near.postings) {
    for_each_near_of(
        features, near.range, index_.hamming_threshold,
        [&](const Feature&, const PostingRange::List& list, std::size_t at,
            std::uint32_t distance) { add(list.images[at], distance); },
        end_word);
    return;
  }
  const auto word_of = [&](const NearPosting& each) { return features[each.feature].word; };
  for_each_run(
      *near.postings,
      [&](std::size_t begin, std::size_t end) {
        for (const NearPosting& each : near.postings->subspan(begin, end - begin)) {
          add(each.image, each.distance);
        }
        end_word(word_of((*near.postings)[begin]));
      },
      word_of);
}

double VoteJoin::value(std::size_t i, ImageId image, std::uint64_t score) const {
  return static_cast<double>(score) / (query_norms_[i] * double{index_.norms[image]});
}

// Updates the best images and the best scores of the i-th image by those of a range.
void VoteJoin::keep_best(std::size_t i, const PostingRange& range, const Scores& scores) {
  Early& early = early_[i];
  const std::size_t length = batch_[i].shortlist;
  const auto shrink = [&] {
    if (early.scores.size() <= length || length == 0) return;
    const auto last = early.scores.begin() + static_cast<std::ptrdiff_t>(length) - 1;
    std::nth_element(early.scores.begin(), last, early.scores.end(), std::greater<>());
    early.lowest = *last;
    early.scores.resize(length);
  };
  for (std::size_t at = 0; at < scores.size(); ++at) {
    const auto image = range.first() + static_cast<ImageId>(at);
    if (scores[at] == 0 || index_.norms[image] <= 0) continue;
    const double score = value(i, image, scores[at]);
    if (static_cast<float>(score) < early.lowest || !is_voter_(batch_[i].id, image)) continue;
    early.best.add({image, score});
    early.scores.push_back(static_cast<float>(score));
    if (early.scores.size() >= length + length / 4 + 1) shrink();
  }
  shrink();
}

VoteJoin::Ranked VoteJoin::ranked(std::size_t i) const {
  BestImages best(batch_[i].candidates, 0);
  std::vector<float> scores = early_[i].scores;
  for (const RankedImage& image : early_[i].best.unordered()) best.add(image);
  for (std::size_t j = 0; j < late_[i].size(); ++j) {
    const ImageId image = batch_[j].id;
    if (late_[i][j] == 0 || !is_voter_(batch_[i].id, image)) continue;
    const double score = value(i, image, late_[i][j]);
    best.add({image, score});
    scores.push_back(static_cast<float>(score));
  }
  return {best.ranked(index_.content_of), spread_of(std::move(scores), batch_[i].shortlist)};
}

// Returns the pairs of the i-th image with each of some images, ascending, all in the range.
std::vector<std::vector<WordPair>> VoteJoin::pairs_with(std::size_t i,
                                                        std::span<const ImageId> images,
                                                        const Near& near) const {
  if (!near.postings) return find_pairs(i, images, near.range);
  const std::vector<std::uint32_t> numbers = numbers_in(near.range, images);
  std::vector<std::size_t> counts(images.size() + 1);
  for (const NearPosting& each : *near.postings) ++counts[numbers[each.image - near.range.first()]];
  std::vector<std::vector<WordPair>> pairs(images.size());
  for (std::size_t at = 0; at < images.size(); ++at) pairs[at].reserve(counts[at + 1]);
  for (const NearPosting& each : *near.postings) {
    const std::uint32_t number = numbers[each.image - near.range.first()];
    if (number == 0) continue;
    const PostingRange::List list = near.range.list(features_[i][each.feature].word);
    pairs[number - 1].push_back({each.feature, list.place(each.at), each.distance});
  }
  return pairs;
}

// Returns the same pairs, which it finds by comparing the image's features with the range's lists.
std::vector<std::vector<WordPair>> VoteJoin::find_pairs(std::size_t i,
                                                        std::span<const ImageId> images,
                                                        const PostingRange& range) const {
  std::vector<std::vector<WordPair>> pairs(images.size());
  if (images.empty()) return pairs;
  const std::vector<std::uint32_t> numbers = numbers_in(range, images);
  const std::span<const Feature> features = features_[i];
  for_each_near_of(
      features, range, index_.hamming_threshold,
      [&](const Feature& feature, const PostingRange::List& list, std::size_t at,
          std::uint32_t distance) {
        const std::uint32_t number = numbers[list.images[at] - range.first()];
        if (number == 0) return;
        const auto query_word = static_cast<std::uint32_t>(&feature - features.data());
        pairs[number - 1].push_back({query_word, list.place(at), distance});
      },
      [](std::uint32_t) {});
  return pairs;
}

// Brings the pairs of the i-th image up to date after keep_best() of a range: adds those with
// images that have become candidates, all of which lie in the range, and drops those with images
// that no longer are. Forgets all pairs of the image if all images together keep more than
// limits_.pairs.
void VoteJoin::keep_pairs(std::size_t i, const Near& near) {
  ReadPairs& known = read_[i];
  if (!known.is_read) return;
  ReadPairs kept;
  std::vector<ImageId> added;
  for (const RankedImage& image : early_[i].best.unordered()) kept.images.push_back(image.image);
  std::ranges::sort(kept.images);
  std::ranges::set_difference(kept.images, known.images, std::back_inserter(added));
  if (added.empty()) return;
  std::vector<std::vector<WordPair>> added_pairs = pairs_with(i, added, near);
  for (const ImageId image : kept.images) {
    const bool is_added = std::ranges::binary_search(added, image);
    const std::vector<ImageId>& images = is_added ? added : known.images;
    const auto place = std::ranges::lower_bound(images, image) - images.begin();
    auto& pairs = (is_added ? added_pairs : known.pairs)[static_cast<std::size_t>(place)];
    kept.count += pairs.size();
    kept.pairs.push_back(std::move(pairs));
  }
  const std::size_t all = kept_pairs_ += kept.count - known.count;
  known = std::move(kept);
  if (all > limits_.pairs) forget_pairs(i);
}

void VoteJoin::forget_pairs(std::size_t i) {
  kept_pairs_ -= read_[i].count;
  read_[i] = {};
  read_[i].is_read = false;
}

std::size_t VoteJoin::read_pairs(std::size_t i) {
  for (std::size_t at = 0; at < i; ++at) forget_pairs(at);
  std::size_t unread = i;
  while (unread < batch_.size() && read_[unread].is_read) ++unread;
  if (unread == batch_.size() || unread - i >= kLeastPairs) return unread;
  const std::size_t room = limits_.pairs / std::max<std::size_t>(1, pairs_of_an_image_);
  const std::size_t count = pairs_of_an_image_ > 0 ? room : kFirstPairs;
  const std::size_t end = std::min(batch_.size(), unread + std::max(kLeastPairs, count));
  std::vector<std::size_t> images;
  for (std::size_t at = unread; at < end; ++at) {
    if (!read_[at].is_read) images.push_back(at);
  }
  for (const std::size_t at : images) {
    for (const RankedImage& image : early_[at].best.unordered()) {
      read_[at].images.push_back(image.image);
    }
    std::ranges::sort(read_[at].images);
    read_[at].pairs.resize(read_[at].images.size());
    read_[at].is_read = true;
  }
  // Starts with the last range, which may still be in memory.
  for (std::size_t r = ranges_.size(); r-- > 0;) {
    const PostingRange& earlier = range(r);
    join(images, earlier, [&](std::size_t at, const Near& near, Work&) {
      ReadPairs& read = read_[at];
      const auto first_image = std::ranges::lower_bound(read.images, earlier.first());
      const auto last_image = std::ranges::lower_bound(read.images, earlier.end());
      std::ranges::move(pairs_with(at, {first_image, last_image}, near),
                        read.pairs.begin() + (first_image - read.images.begin()));
    });
  }
  std::size_t all = 0;
  for (const std::size_t at : images) {
    for (const auto& pairs : read_[at].pairs) read_[at].count += pairs.size();
    all += read_[at].count;
  }
  kept_pairs_ += all;
  pairs_of_an_image_ = all / images.size();
  return end;
}

std::vector<std::vector<WordPair>> VoteJoin::pairs(std::size_t i,
                                                   std::span<const RankedImage> candidates) const {
  std::vector<ImageId> late;
  for (const RankedImage& candidate : candidates) {
    if (candidate.image >= own_.first()) late.push_back(candidate.image);
  }
  std::ranges::sort(late);
  const std::vector<std::vector<WordPair>> of_late = find_pairs(i, late, own_);
  std::vector<std::vector<WordPair>> pairs;
  for (const RankedImage& candidate : candidates) {
    const bool is_late = candidate.image >= own_.first();
    const std::vector<ImageId>& images = is_late ? late : read_[i].images;
    const std::vector<std::vector<WordPair>>& found = is_late ? of_late : read_[i].pairs;
    const auto known = std::ranges::lower_bound(images, candidate.image);
    require(known != images.end() && *known == candidate.image, "VoteJoin: pairs were not read");
    pairs.push_back(found[static_cast<std::size_t>(known - images.begin())]);
  }
  return pairs;
}

std::vector<std::uint64_t> VoteJoin::signatures(std::size_t i) const {
  std::vector<std::uint64_t> signatures;
  for (const Feature& feature : features_[i]) signatures.push_back(feature.signature);
  return signatures;
}

VoteJoin::Reads VoteJoin::reads(std::span<const Image> batch, std::uint64_t postings,
                                std::size_t images, const Limits& limits) {
  Reads reads;
  for (const Image& image : batch) {
    for_each_run(image.words, [&](std::size_t, std::size_t) { ++reads.alone; });
  }
  const std::size_t ranges =
      ranges_before(batch.front().id, postings, images, limits.postings).size();
  // Once for the batch itself, and once for each range.
  reads.joined = words_of(batch).size() * (1 + ranges);
  return reads;
}

}  // namespace lookalike
