#include "stages/match/vote/near_postings.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/hamming.h"
#include "base/parallel.h"
#include "stages/match/vote/runs.h"

namespace lookalike {
namespace {

constexpr std::size_t kPartsPerThread = 4;
constexpr std::size_t kCountedAtOnce = 4096;  // pairs, so that threads seldom share the count

// A pair of a feature and a posting.
struct Met {
  std::uint32_t image = 0;  // of the batch, which has the feature
  SeenPair pair;
};

// Splits features into about `count` parts, none of which ends within a word.
std::vector<std::span<const BatchFeature>> split(std::span<const BatchFeature> features,
                                                 std::size_t count) {
  std::vector<std::span<const BatchFeature>> parts;
  const std::size_t length = features.size() / count + 1;
  for (std::size_t begin = 0; begin < features.size();) {
    std::size_t end = std::min(begin + length, features.size());
    while (end < features.size() && features[end].word == features[end - 1].word) ++end;
    parts.push_back(features.subspan(begin, end - begin));
    begin = end;
  }
  return parts;
}

// Adds the pairs of features of one word, all of one image, with the postings of the word.
void meet(std::span<const BatchFeature> features, const PostingRange::List& list,
          std::uint32_t threshold, std::vector<Met>& met) {
  SignatureDistances distances;
  for (std::size_t first = 0; first < list.images.size(); first += kSignatureBlock) {
    const std::size_t size = std::min(kSignatureBlock, list.images.size() - first);
    const auto* column = reinterpret_cast<const std::uint8_t*>(list.signatures.data() + first);
    for (const BatchFeature& feature : features) {
      const std::uint64_t near =
          near_signatures(feature.signature, column, size, threshold, distances);
      for_each_bit(near, [&](std::size_t at) {
        const ImageId image = list.images[first + at];
        std::size_t run = first + at;
        while (run > 0 && list.images[run - 1] == image) --run;
        met.push_back({feature.image,
                       {image,
                        {feature.feature, static_cast<std::uint32_t>(first + at - run),
                         static_cast<std::uint32_t>(distances[at])}}});
      });
    }
  }
}

}  // namespace

std::optional<NearPostings> NearPostings::find(std::span<const BatchFeature> features,
                                               std::size_t images, const PostingRange& range,
                                               const Limits& limits) {
  const auto words = split(features, kPartsPerThread * limits.threads);
  NearPostings found;
  found.parts_.resize(words.size());
  std::atomic<std::size_t> count = 0;
  parallel_for(words.size(), limits.threads, [&](std::size_t part) {
    std::vector<Met> met;
    std::size_t counted = 0;
    const auto image_of = [](const BatchFeature& feature) {
      return std::pair(feature.word, feature.image);
    };
    for_each_run(
        words[part],
        [&](std::size_t begin, std::size_t end) {
          if (count > limits.postings) return;
          meet(words[part].subspan(begin, end - begin), range.list(words[part][begin].word),
               limits.threshold, met);
          if (met.size() - counted < kCountedAtOnce) return;
          count += met.size() - counted;
          counted = met.size();
        },
        image_of);
    count += met.size() - counted;
    // Sorts the pairs by image, which keeps the order of those of one.
    std::vector<std::size_t> next(images);
    for (const Met& each : met) ++next[each.image];
    std::size_t sum = 0;
    for (std::size_t& each : next) sum += std::exchange(each, sum);
    std::vector<SeenPair> pairs(met.size());
    for (const Met& each : met) pairs[next[each.image]++] = each.pair;
    found.parts_[part] = {std::move(pairs), std::move(next)};
  });
  if (count > limits.postings) return std::nullopt;
  return found;
}

}  // namespace lookalike
