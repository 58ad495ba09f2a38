#include "stages/match/shared_search.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/parallel.h"

namespace lookalike {
namespace {

// The depth of an automatic shortlist grows as the square root of the collection: at 500 images
// nearly a fifth are verified, at 62,500 a thousand.
std::size_t shortlist_depth(const VoteOptions& options, std::size_t images) {
  constexpr double kGrowth = 4;
  if (options.shortlist > 0) return options.shortlist;
  const double depth = kGrowth * std::sqrt(static_cast<double>(images));
  return std::clamp(static_cast<std::size_t>(depth), std::size_t{100}, std::size_t{1000});
}

}  // namespace

SharedSearch::SharedSearch(OpenClSession& device_session, const IndexReader& index_reader,
                           const Calibration& index_calibration, const MatchOptions& match_options,
                           PictureLoaders picture_loaders)
    : session(device_session),
      reader(index_reader),
      calibration(index_calibration),
      options(match_options),
      loaders(std::move(picture_loaders)),
      codebook(reader.codebook()),
      cache(reader, loaders, static_cast<std::uint32_t>(PoseRefiner::kLongestSidePx),
            std::size_t{match_options.cache_mib} << 20),
      shortlist([this](std::uint32_t word, const auto& visit) { cache.for_each_list(word, visit); },
                [this](ImageId image) { return reader.content(image); }, reader.norms(),
                reader.removed(), match_options.hamming_threshold),
      depth(shortlist_depth(options, shortlist.image_count())),
      refiners([this] { return std::make_unique<Queued<PoseRefiner>>(session); }) {
  assigners.add(std::make_unique<Queued<WordAssigner>>(session, codebook));
  const Pool<Queued<PoseRefiner>>::Lease first(refiners);
}

IndexQuery SharedSearch::words_of(PhotoWords& photo, std::size_t words_per_feature,
                                  std::size_t features) {
  const Pool<Queued<WordAssigner>>::Lease assigner(assigners);
  return photo.query(assigner->object, words_per_feature, features);
}

bool SharedSearch::is_sure(const Evidence& evidence) const {
  return calibration.probability(evidence) >= options.same_probability;
}

std::size_t shortlist_length(const SharedSearch& shared) {
  // Images that a second look verifies, for each image of a first look.
  constexpr std::size_t kSecondLookDepth = 3;
  return shared.options.shortlist > 0 ? shared.depth : kSecondLookDepth * shared.depth;
}

std::size_t shortlist_length(const SharedSearch& shared, double share) {
  constexpr std::size_t kLeast = 32;
  const double length = std::ceil(static_cast<double>(shortlist_length(shared)) * share);
  return std::max(static_cast<std::size_t>(length), kLeast);
}

// Returns the share of one query in progress; all if there is none, as while a batch is joined.
std::size_t SharedSearch::share_of(std::size_t all) const {
  return all / std::max<std::size_t>(1, in_progress);
}

std::size_t SharedSearch::threads() const {
  return std::max<std::size_t>(1, share_of(core_count()));
}

std::size_t SharedSearch::readers() const {
  return std::max(threads(), share_of(reader.connections()));
}

}  // namespace lookalike
