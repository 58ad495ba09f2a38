#include "stages/match/neighbour_join.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/parallel.h"
#include "stages/match/query_run.h"
#include "stages/match/shared_search.h"
#include "stages/match/vote/vote_join.h"

namespace lookalike {
namespace {

constexpr std::size_t kMostImages = 3072;
constexpr std::size_t kMostFeatures = std::size_t{3} << 20U;  // of a batch
// Images, the best by votes, among which an image's neighbours are looked for.
constexpr std::size_t kNeighbourCandidates = 40;
constexpr std::size_t kLeastNeighbours = 16;  // the same, of the first images of an index

std::size_t share_of(std::size_t count, double share) {
  return static_cast<std::size_t>(std::ceil(static_cast<double>(count) * share));
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
    const std::size_t shortlist =
        std::max(share_of(shortlist_length(shared), batch_[i].share), Matcher::kLeastCandidates);
    const std::size_t candidates =
        std::max(share_of(kNeighbourCandidates, batch_[i].share), kLeastNeighbours);
    images.push_back(
        {batch_[i].id, records[i]->features.words, std::min(candidates, shortlist), shortlist});
  }
  const std::uint64_t postings = shared.reader.counts().postings;
  const std::size_t count = shared.shortlist.image_count();
  const VoteJoin::Limits limits;
  const VoteJoin::Reads reads = VoteJoin::reads(images, postings, count, limits);
  if (reads.alone < reads.joined) return;
  join_ = std::make_unique<VoteJoin>(
      VoteJoin::Index{[&shared](std::uint32_t word, const auto& visit) {
                        shared.reader.for_each_list(word, visit);
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
  return std::clamp<std::size_t>(kMostFeatures / features, 64, kMostImages);
}

std::size_t NeighbourJoin::read(std::size_t i) {
  return join_ ? join_->read_pairs(i) : batch_.size();
}

std::vector<Neighbour> NeighbourJoin::neighbours(std::size_t i) const {
  const auto record = shared_.cache.record(batch_[i].id);
  QueryInput input = input_of(shared_, record);
  input.colours = nullptr;  // an edge does not say how pictures differ
  QueryRun run(shared_, std::move(input));
  if (!join_) {
    ImageSet before(batch_[i].id);
    const std::vector<float>& norms = shared_.shortlist.norms();
    for (ImageId other = 0; other < batch_[i].id; ++other) {
      if (norms[other] > 0 && is_voter_(batch_[i].id, other)) before.add(other);
    }
    const std::size_t candidates =
        std::max(share_of(kNeighbourCandidates, batch_[i].share), kLeastNeighbours);
    return run.neighbours({.images = before, .share = batch_[i].share}, candidates);
  }
  const IndexQuery query = index_query(*record, join_->signatures(i));
  const VoteJoin::Ranked ranked = join_->ranked(i);
  return run.edges_to(query, ranked.candidates, join_->pairs(i, ranked.candidates), ranked.spread);
}

}  // namespace lookalike
