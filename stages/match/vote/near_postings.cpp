#include "stages/match/vote/near_postings.h"

#include <utility>

#include "stages/match/vote/runs.h"

namespace lookalike {

bool NearPostings::find(std::span<const BatchFeature> features, std::size_t images,
                        const PostingRange& range, std::uint32_t threshold, std::size_t most) {
  met_.clear();
  for_each_run(
      features,
      [&](std::size_t begin, std::size_t end) {
        if (met_.size() > most) return;
        const PostingRange::List list = range.list(features[begin].word);
        for_each_near(features.subspan(begin, end - begin), list, threshold,
                      [&](const BatchFeature& feature, std::size_t at, std::uint32_t distance) {
                        met_.push_back({feature.image,
                                        {list.images[at], static_cast<std::uint32_t>(at),
                                         feature.feature, distance}});
                      });
      },
      [](const BatchFeature& feature) { return std::pair(feature.word, feature.image); });
  if (met_.size() > most) return false;
  ends_.assign(images, 0);
  for (const Met& each : met_) ++ends_[each.image];
  std::size_t sum = 0;
  for (std::size_t& each : ends_) sum += std::exchange(each, sum);
  if (near_.size() < met_.size()) near_.resize(met_.size());  // never smaller: clearing costs
  for (const Met& each : met_) near_[ends_[each.image]++] = each.near;
  return true;
}

}  // namespace lookalike
