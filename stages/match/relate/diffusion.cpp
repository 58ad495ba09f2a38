#include "stages/match/relate/diffusion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace lookalike {
namespace {

constexpr double kKept = 0.9;         // share of the flow that each step passes on
constexpr double kNegligible = 1e-4;  // share of a step in all flow at which it ends
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

struct Edge {
  std::size_t to = 0;  // place in the graph
  double weight = 0;
  bool by_votes = false;
};

// A place in a search for surest paths: the product of the weights so far, and where it is.
using Front = std::priority_queue<std::pair<double, std::size_t>>;

// The part of the neighbour graph near the sources.
class LocalGraph {
 public:
  LocalGraph(std::span<const DiffusionSource> sources,
             const std::function<std::vector<Neighbour>(ImageId)>& neighbours_of,
             std::size_t most_images) {
    for (const DiffusionSource& source : sources) reach(source.image, source.probability);
    // Reads the images in the order of their surest paths.
    while (!front_.empty() && neighbours_read_ < most_images) {
      const auto [product, place] = front_.top();
      front_.pop();
      if (product < best_[place] || is_read_[place]) continue;
      is_read_[place] = true;
      ++neighbours_read_;
      for (const Neighbour& edge : neighbours_of(images_[place])) {
        connect(place, reach(edge.image, product * edge.weight), edge);
      }
    }
  }

  std::size_t size() const { return images_.size(); }
  ImageId image(std::size_t place) const { return images_[place]; }
  std::size_t place_of(ImageId image) const { return places_.at(image); }
  const std::vector<Edge>& edges(std::size_t place) const { return edges_[place]; }

 private:
  std::size_t reach(ImageId image, double product) {
    const auto [at, is_new] = places_.try_emplace(image, images_.size());
    const std::size_t place = at->second;
    if (is_new) {
      images_.push_back(image);
      edges_.emplace_back();
      best_.push_back(0);
      is_read_.push_back(false);
    }
    if (product > best_[place]) {
      best_[place] = product;
      front_.emplace(product, place);
    }
    return place;
  }

  void connect(std::size_t a, std::size_t b, const Neighbour& edge) {
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
      const auto known = std::ranges::find(edges_[from], to, &Edge::to);
      if (known == edges_[from].end()) edges_[from].push_back({to, edge.weight, edge.by_votes});
    }
  }

  std::unordered_map<ImageId, std::size_t> places_;
  std::vector<ImageId> images_;
  std::vector<std::vector<Edge>> edges_;
  std::vector<double> best_;
  std::vector<bool> is_read_;
  std::size_t neighbours_read_ = 0;
  Front front_;
};

std::vector<double> flows(const LocalGraph& graph, std::span<const DiffusionSource> sources) {
  std::vector<double> scale(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    double degree = 0;
    for (const Edge& edge : graph.edges(i)) degree += edge.weight;
    scale[i] = 1 / std::sqrt(std::max(degree, 1.0));
  }
  std::vector<double> step(graph.size());
  for (const DiffusionSource& source : sources) {
    step[graph.place_of(source.image)] = source.probability;
  }
  std::vector<double> all = step;
  const auto sum = [](const std::vector<double>& values) {
    double total = 0;
    for (const double value : values) total += value;
    return total;
  };
  while (sum(step) > kNegligible * sum(all)) {
    std::vector<double> next(graph.size());
    for (std::size_t i = 0; i < graph.size(); ++i) {
      for (const Edge& edge : graph.edges(i)) {
        next[i] += kKept * edge.weight * scale[i] * scale[edge.to] * step[edge.to];
      }
    }
    step = std::move(next);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += step[i];
  }
  return all;
}

// The surest paths of verified edges from a sure source to each place.
struct SurestPaths {
  std::vector<std::size_t> before;  // the place before it; kNone without a path, and for sources
  std::vector<double> surety;       // see ReachedImage
};

SurestPaths surest_paths(const LocalGraph& graph, std::span<const DiffusionSource> sources) {
  SurestPaths paths = {std::vector<std::size_t>(graph.size(), kNone),
                       std::vector<double>(graph.size())};
  auto& [before, surety] = paths;
  Front front;
  for (const DiffusionSource& source : sources) {
    if (!source.is_sure) continue;
    const std::size_t place = graph.place_of(source.image);
    surety[place] = 1;  // a source needs no path
    front.emplace(source.probability, place);
  }
  while (!front.empty()) {
    const auto [product, place] = front.top();
    front.pop();
    if (product < surety[place] && before[place] != kNone) continue;
    for (const Edge& edge : graph.edges(place)) {
      if (edge.by_votes || product * edge.weight <= surety[edge.to]) continue;
      surety[edge.to] = product * edge.weight;
      before[edge.to] = place;
      front.emplace(surety[edge.to], edge.to);
    }
  }
  return paths;
}

}  // namespace

std::vector<ReachedImage> diffuse(
    std::span<const DiffusionSource> sources,
    const std::function<std::vector<Neighbour>(ImageId)>& neighbours_of, std::size_t most_images) {
  const LocalGraph graph(sources, neighbours_of, most_images);
  const std::vector<double> flow = flows(graph, sources);
  const SurestPaths paths = surest_paths(graph, sources);
  std::vector<ReachedImage> reached(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    reached[i].image = graph.image(i);
    reached[i].flow = flow[i];
    reached[i].surety = paths.surety[i];
    for (std::size_t at = paths.before[i]; at != kNone; at = paths.before[at]) {
      reached[i].path.push_back(graph.image(at));
    }
    std::ranges::reverse(reached[i].path);
  }
  std::ranges::sort(reached, [](const ReachedImage& a, const ReachedImage& b) {
    return std::tuple(-a.flow, a.image) < std::tuple(-b.flow, b.image);
  });
  return reached;
}

}  // namespace lookalike
