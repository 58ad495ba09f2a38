#include "stages/match/relate/relate.h"

#include <cstddef>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "stages/match/decide/decision.h"
#include "stages/match/decide/places.h"
#include "stages/match/relate/diffusion.h"

namespace lookalike {
namespace {

// Images near the sources among which probabilities flow.
constexpr std::size_t kReachedImages = 10'000;
// Maximum number of images added: options.top is never higher.
constexpr std::size_t kMostAdded = 1000;
// Least product of an image's share of the highest flow and the surety of its path that makes it
// related. A single false edge may join two things: little flows over it, and it is seldom sure.
constexpr double kRelated = 0.1;

using MatchNumbers = std::unordered_map<ImageId, std::size_t>;  // of matches, by image

std::vector<DiffusionSource> sources_of(const std::vector<Match>& judged) {
  std::vector<DiffusionSource> sources;
  for (const Match& match : judged) {
    if (match.probability < kSimilarProbability || match.decision == Decision::kPart) continue;
    sources.push_back({match.image.id, match.probability, match.decision >= Decision::kSameObject});
  }
  return sources;
}

//   excluded  images that nothing reaches
std::vector<ReachedImage> reach(const SharedSearch& shared,
                                const std::unordered_set<ImageId>& excluded,
                                const std::vector<DiffusionSource>& sources) {
  const auto neighbours_of = [&](ImageId image) {
    std::vector<Neighbour> edges = shared.reader.neighbours(image);
    // What is near the image that stands in for this one is as near to this one.
    if (!edges.empty() && edges.front().stands_in()) {
      for (const Neighbour& edge : shared.reader.neighbours(edges.front().image)) {
        if (edge.image != image) edges.push_back(edge);
      }
    }
    std::erase_if(edges, [&](const Neighbour& edge) {
      return excluded.contains(edge.image) || !shared.shortlist.has(edge.image);
    });
    return edges;
  };
  return diffuse(sources, neighbours_of, kReachedImages);
}

}  // namespace

void relate(const SharedSearch& shared, std::optional<ImageId> excluded_image,
            const ReportOptions& options, std::vector<Match>& judged) {
  const std::vector<DiffusionSource> sources = sources_of(judged);
  if (sources.empty()) return;
  MatchNumbers numbers;
  std::unordered_set<ImageId> excluded;
  if (excluded_image) excluded.insert(*excluded_image);
  for (std::size_t i = 0; i < judged.size(); ++i) {
    numbers[judged[i].image.id] = i;
    if (judged[i].decision == Decision::kPart) excluded.insert(judged[i].image.id);
  }
  const auto image_of = [&](ImageId image) {
    const auto known = numbers.find(image);
    return known != numbers.end() ? judged[known->second].image
                                  : shared.reader.existing_image(image);
  };

  const bool lists_all = weakest_reported(options) == Decision::kNone;
  const std::size_t found = judged.size();
  const std::vector<ReachedImage> all = reach(shared, excluded, sources);
  for (const ReachedImage& reached : all) {
    const bool is_related =
        !reached.path.empty() && reached.flow * reached.surety >= kRelated * all.front().flow;
    auto known = numbers.find(reached.image);
    if (known == numbers.end()) {
      if ((!is_related && !lists_all) || judged.size() - found == kMostAdded) continue;
      Match added;
      added.image = image_of(reached.image);
      known = numbers.emplace(reached.image, judged.size()).first;
      judged.push_back(std::move(added));
    }
    Match& match = judged[known->second];
    match.flow = reached.flow;
    if (!is_related || (match.decision != Decision::kNone && !is_guess(match))) continue;
    match.decision = Decision::kRelated;
    for (const ImageId image : reached.path) match.via.push_back(image_of(image));
  }
  sort_by_flow(judged);
}

}  // namespace lookalike
