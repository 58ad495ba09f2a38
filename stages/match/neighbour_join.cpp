#include "stages/match/neighbour_join.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/parallel.h"
#include "stages/match/feature_search.h"
#include "stages/match/query_input.h"
#include "stages/match/shared_search.h"
#include "stages/match/vote/vote_join.h"

namespace lookalike {
namespace {

// Images and features of a batch.
constexpr std::size_t kLeastImages = 64;
constexpr std::size_t kMostImages = 3072;
constexpr std::size_t kMostFeatures = std::size_t{3} << 20U;

// Returns the number of the best images by votes among which an image's neighbours are sought.
//   share  NeighbourJoin::Image::share
std::size_t candidate_count(double share) {
  constexpr double kUsual = 40;
  constexpr std::size_t kLeast = 16;
  return std::max(static_cast<std::size_t>(std::ceil(kUsual * share)), kLeast);
}

}  // namespace

NeighbourJoin::NeighbourJoin(SharedSearch& shared, std::vector<Image> batch, IsVoter is_voter,
                             const std::function<void()>& before_range)
    : shared_(shared), batch_(std::move(batch)), is_voter_(std::move(is_voter)) {
  if (batch_.empty()) return;
  std::vector<std::shared_ptr<const Record>> records(batch_.size());
  parallel_for(batch_.size(), shared.readers(),
               [&](std::size_t i) { records[i] = shared.cache.record(batch_[i].id); });
  std::vector<VoteJoin::Image> images;
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    const std::size_t shortlist = shortlist_length(shared, batch_[i].share);
    images.push_back({batch_[i].id, records[i]->features.words,
                      std::min(candidate_count(batch_[i].share), shortlist), shortlist});
  }
  const std::uint64_t postings = shared.reader.counts().postings;
  const std::size_t count = shared.shortlist.image_count();
  const VoteJoin::Limits limits;
  const VoteJoin::Reads reads = VoteJoin::reads(images, postings, count, limits);
  if (reads.alone < reads.joined) return;
  join_ = std::make_unique<VoteJoin>(
      VoteJoin::Index{[&shared](std::span<const std::uint32_t> words, const auto& visit) {
                        shared.reader.for_each_list(words, visit);
                      },
                      [&shared](ImageId image) { return shared.reader.content(image); },
                      shared.shortlist.norms(), shared.reader.removed(), count,
                      shared.options.hamming_threshold, postings, before_range},
      images, is_voter_, shared.readers(), limits);
}

NeighbourJoin::~NeighbourJoin() = default;

std::size_t NeighbourJoin::most_images(const IndexReader& index) {
  const IndexCounts counts = index.counts();
  const std::size_t features =
      std::max<std::size_t>(1, counts.postings / std::max<std::size_t>(1, counts.images));
  return std::clamp(kMostFeatures / features, kLeastImages, kMostImages);
}

std::size_t NeighbourJoin::read(std::size_t i) {
  return join_ ? join_->read_pairs(i) : batch_.size();
}

FoundNeighbours NeighbourJoin::neighbours(std::size_t i) const {
  const auto record = shared_.cache.record(batch_[i].id);
  QueryInput input(shared_, record);
  if (!join_) {
    ImageSet before(batch_[i].id);
    const std::vector<float>& norms = shared_.shortlist.norms();
    for (ImageId other = 0; other < batch_[i].id; ++other) {
      if (norms[other] > 0 && is_voter_(batch_[i].id, other)) before.add(other);
    }
    FeatureSearch search(shared_);
    const IndexQuery query = input.words(Look::kFirst);
    const std::vector<RankedImage> shortlist =
        search.vote(query, shortlist_length(shared_, batch_[i].share), &before);
    const auto ranked =
        std::span(shortlist).first(std::min(shortlist.size(), candidate_count(batch_[i].share)));
    return find_neighbours(shared_, input, batch_[i].id, query,
                           {ranked, search.pairs(query, ranked), spread_of(shortlist)});
  }
  const IndexQuery query = index_query(*record, join_->signatures(i));
  const VoteJoin::Ranked ranked = join_->ranked(i);
  return find_neighbours(shared_, input, batch_[i].id, query,
                         {ranked.candidates, join_->pairs(i, ranked.candidates), ranked.spread});
}

}  // namespace lookalike
