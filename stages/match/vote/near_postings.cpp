#include "stages/match/vote/near_postings.h"

#include <algorithm>
#include <utility>

#include "stages/match/vote/runs.h"

namespace lookalike {
namespace {

// Postings of a list after which the limit is checked; a multiple of kSignatureBlock.
constexpr std::size_t kPostingsAtOnce = 1024;

}  // namespace

bool NearPostings::find(std::span<const BatchFeature> features, std::size_t images,
                        const PostingRange& range, std::uint32_t threshold, std::size_t most) {
  met_.clear();
  for_each_run(
      features,
      [&](std::size_t begin, std::size_t end) {
        const PostingRange::List list = range.list(features[begin].word);
        for (std::size_t first = 0; first < list.images.size(); first += kPostingsAtOnce) {
          if (met_.size() > most) return;
          const std::size_t size = std::min(kPostingsAtOnce, list.images.size() - first);
          const PostingRange::List some = {list.images.subspan(first, size),
                                           list.signatures.subspan(first, size)};
          for_each_near(
              features.subspan(begin, end - begin), some, threshold,
              [&](const BatchFeature& feature, std::size_t i, std::uint32_t distance) {
                const auto at = static_cast<std::uint32_t>(first + i);
                met_.push_back({feature.image, {some.images[i], at, feature.feature, distance}});
              });
        }
      },
      [](const BatchFeature& feature) { return std::pair(feature.word, feature.image); });
  if (met_.size() > most) return false;
  ends_.assign(images, 0);
  for (const Met& each : met_) ++ends_[each.image];
  std::size_t sum = 0;
  for (std::size_t& each : ends_) sum += std::exchange(each, sum);
  // It never shrinks, as growing again would clear the elements first.
  if (near_.size() < met_.size()) near_.resize(met_.size());
  for (const Met& each : met_) near_[ends_[each.image]++] = each.near;
  return true;
}

}  // namespace lookalike
