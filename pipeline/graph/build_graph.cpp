#include "pipeline/graph/build_graph.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "pipeline/graph/print_edges.h"
#include "pipeline/searcher.h"

namespace lookalike {
namespace {

constexpr std::chrono::seconds kBetweenPublications{5};

RunConfig for_neighbours(RunConfig config) {
  config.match.second_look = false;
  return config;
}

// The images among which the neighbours of another one are looked for: those before it for which no
// other stands in. The last ones before it count as such, so that images can be looked up at the
// same time, and a later run that continues has the same voters.
class Voters {
 public:
  // Images that are looked up at the same time.
  static constexpr std::size_t kMostAtOnce = 32;

  Voters(const std::vector<float>& norms, const std::vector<ImageId>& represented)
      : norms_(norms), rank_(norms.size()), is_represented_(norms.size()) {
    for (std::size_t i = 0; i < norms.size(); ++i) {
      rank_[i] = count_;
      count_ += norms[i] > 0 ? 1 : 0;
    }
    for (const ImageId image : represented) is_represented_.at(image) = 1;
  }

  // Not while the neighbours of an image are looked for that is more than kMostAtOnce images later.
  void set_represented(ImageId image) { is_represented_[image] = 1; }
  bool is_represented(ImageId image) const { return is_represented_[image] != 0; }

  // True if an image may be a neighbour of a later one.
  bool contains(ImageId image, ImageId earlier) const {
    const bool is_early = rank_[earlier] + kMostAtOnce < rank_[image];
    return norms_[earlier] > 0 && !(is_early && is_represented_[earlier] != 0);
  }
  // Returns the share of all images that come before one.
  double share(ImageId image) const {
    return static_cast<double>(rank_[image] + 1) / static_cast<double>(count_);
  }

 private:
  const std::vector<float>& norms_;
  std::vector<std::size_t> rank_;  // by image: number of those with features before it
  std::size_t count_ = 0;
  std::vector<std::uint8_t> is_represented_;  // not bits: written while others are read
};

// Collects edges and publishes them.
class GraphWriter {
 public:
  GraphWriter(IndexWriter& writer, const std::vector<float>& norms, Voters& voters)
      : writer_(writer), norms_(norms), voters_(voters), prints_(writer, norms) {}

  // Gives the edges of an image, which has none yet, to both sides.
  void add(ImageId image, const FoundNeighbours& found) {
    prints_.add(image, found.prints);
    const bool is_represented = !found.edges.empty() && found.edges.front().stands_in();
    if (is_represented) voters_.set_represented(image);
    for (Neighbour edge : among_representatives(found.edges)) {
      add_neighbour(edge, edges_of(image));
      if (is_represented) continue;  // it would take the place of other neighbours
      add_neighbour(reversed(edge, image), edges_of(edge.image));
    }
    last_ = image;
    if (std::chrono::steady_clock::now() - published_ > kBetweenPublications) publish();
  }

  void publish() {
    std::vector<ImageNeighbours> images;
    for (auto& [image, edges] : changed_) images.push_back({image, std::move(edges)});
    changed_.clear();
    if (last_ > 0) writer_.put_neighbours(images, last_, prints_.take());
    published_ = std::chrono::steady_clock::now();
  }

 private:
  // Returns edges to those that stand in in place of those to images for which they do.
  std::vector<Neighbour> among_representatives(const std::vector<Neighbour>& found) {
    std::vector<Neighbour> edges;
    for (const Neighbour& edge : found) {
      if (!voters_.is_represented(edge.image)) {
        add_neighbour(edge, edges);
        continue;
      }
      for (const Neighbour& next : edges_of(edge.image)) {
        if (next.by_votes() || voters_.is_represented(next.image)) continue;
        EdgeKind kind = edge.kind;  // the neighbour's neighbour is its copy
        if (edge.stands_in() && !next.stands_in()) kind = EdgeKind::kObject;
        add_neighbour({next.image, edge.weight * next.weight, kind}, edges);
      }
    }
    return edges;
  }

  // Returns the edges of an image, without those to removed images.
  std::vector<Neighbour>& edges_of(ImageId image) {
    const auto [at, is_new] = changed_.try_emplace(image);
    if (is_new) {
      at->second = writer_.neighbours(image);
      std::erase_if(at->second, [&](const Neighbour& edge) {
        return edge.image >= norms_.size() || norms_[edge.image] == InvertedIndex::kNoNorm;
      });
    }
    return at->second;
  }

  IndexWriter& writer_;
  const std::vector<float>& norms_;
  Voters& voters_;
  PrintEdges prints_;
  std::map<ImageId, std::vector<Neighbour>> changed_;
  ImageId last_ = 0;
  std::chrono::steady_clock::time_point published_ = std::chrono::steady_clock::now();
};

}  // namespace

void complete_graph(IndexWriter& writer, const RunConfig& config, OpenClSession& session,
                    Progress::Style style, const std::function<void()>& before_each,
                    const std::string& label) {
  const std::vector<ImageId> work = writer.images_to_compare();
  const std::vector<float> norms = writer.norms();
  Progress progress(label, "images", work.size(), style);
  Voters voters(norms, work.empty() ? std::vector<ImageId>() : writer.represented_images());
  GraphWriter graph(writer, norms, voters);
  // A new reader for each batch: the log of a writer cannot shrink while one is open.
  for (std::size_t begin = 0; begin < work.size();) {
    const IndexReader index{std::filesystem::path(config.store.database)};
    const Searcher searcher(index, for_neighbours(config), &session);
    const std::size_t count = std::min(NeighbourJoin::most_images(index), work.size() - begin);
    std::vector<NeighbourJoin::Image> batch;
    for (const ImageId image : std::span(work).subspan(begin, count)) {
      batch.push_back({image, voters.share(image)});
    }
    const auto join = searcher.join(
        batch, [&](ImageId image, ImageId earlier) { return voters.contains(image, earlier); },
        before_each);
    for (std::size_t first = 0, end = 0; first < count; first = end) {
      end = join->read(first);
      OrderedParallel<FoundNeighbours> found(
          end - first, core_count(), std::min(4 * core_count(), Voters::kMostAtOnce),
          [&](std::size_t i) { return join->neighbours(first + i); });
      for (std::size_t i = first; i < end; ++i) {
        before_each();
        graph.add(batch[i].id, *found.next());
        progress.update(begin + i + 1);
      }
    }
    graph.publish();
    begin += count;
  }
}

}  // namespace lookalike
