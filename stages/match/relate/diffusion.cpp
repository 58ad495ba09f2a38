#include "stages/match/relate/diffusion.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace lookalike {
namespace {

constexpr double kKept = 0.9;         // share of the flow that each step passes on
constexpr double kNegligible = 1e-4;  // share of a step in all flow at which it ends
constexpr std::size_t kMostHops = 2;  // of a path: what it shows must be plain to a person

struct Edge {
  std::size_t to = 0;  // place in the graph
  double weight = 0;
  EdgeKind kind = EdgeKind::kObject;
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
    if (std::ranges::find(edges_[a], b, &Edge::to) != edges_[a].end()) return;
    edges_[a].push_back({b, edge.weight, edge.kind});
    edges_[b].push_back({a, edge.weight, reversed(edge, images_[a]).kind});
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

// The surest path of verified edges from a sure source.
struct SurestPath {
  double surety = 0;  // see ReachedImage
  EdgeKind last = EdgeKind::kObject;
  std::vector<std::size_t> places{};  // from the source on, the end left out
};

// Returns the paths to all places, of at most kMostHops edges. None leads from an image through
// another, that shows it inside, to a third inside there: a collage shows many things.
std::vector<SurestPath> surest_paths(const LocalGraph& graph,
                                     std::span<const DiffusionSource> sources) {
  std::vector<SurestPath> paths(graph.size());
  std::vector<double> chance(graph.size());  // of the path so far, with that of its source
  for (const DiffusionSource& source : sources) {
    if (!source.is_sure) continue;
    const std::size_t place = graph.place_of(source.image);
    paths[place].surety = 1;  // a source needs no path
    chance[place] = source.probability;
  }
  for (std::size_t hop = 0; hop < kMostHops; ++hop) {
    const std::vector<SurestPath> shorter = paths;
    const std::vector<double> before = chance;
    for (std::size_t place = 0; place < graph.size(); ++place) {
      if (before[place] == 0) continue;
      const bool holds_last = shorter[place].last == EdgeKind::kAround;
      for (const Edge& edge : graph.edges(place)) {
        const double product = before[place] * edge.weight;
        if (edge.kind == EdgeKind::kByVotes || product <= paths[edge.to].surety) continue;
        if (holds_last && edge.kind == EdgeKind::kInside) continue;
        paths[edge.to] = {product, edge.kind, shorter[place].places};
        paths[edge.to].places.push_back(place);
        chance[edge.to] = product;
      }
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
  const std::vector<SurestPath> paths = surest_paths(graph, sources);
  std::vector<ReachedImage> reached(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    reached[i].image = graph.image(i);
    reached[i].flow = flow[i];
    reached[i].surety = paths[i].surety;
    for (const std::size_t at : paths[i].places) reached[i].path.push_back(graph.image(at));
  }
  std::ranges::sort(reached, [](const ReachedImage& a, const ReachedImage& b) {
    return std::tuple(-a.flow, a.image) < std::tuple(-b.flow, b.image);
  });
  return reached;
}

}  // namespace lookalike
