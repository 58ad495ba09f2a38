#include "pipeline/graph/build_graph.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "pipeline/graph/edge_changes.h"
#include "pipeline/graph/equal_pictures.h"
#include "pipeline/searcher.h"

namespace lookalike {
namespace {

constexpr std::chrono::seconds kBetweenPublications{5};

RunConfig for_neighbours(RunConfig config) {
  config.match.second_look = false;
  return config;
}

// The images among which the neighbours of another image are sought: the earlier ones for which no
// other image stands in. The last kMostAtOnce before it are among them even if another stands in:
// that may not be known yet, as images are looked up at the same time. A later run that continues
// leaves out the same images. Equal pictures (equal_pictures.h) are known from the start and are
// always left out.
class Voters {
 public:
  // Images that are looked up at the same time. One that takes long holds up the others only once
  // they are this far ahead.
  static constexpr std::size_t kMostAtOnce = 256;

  //   equal  from equal_pictures(), for the images to look up and the last ones before them
  Voters(const std::vector<float>& norms, const std::vector<ImageId>& represented,
         const std::map<ImageId, ImageId>& equal)
      : norms_(norms), rank_(norms.size()), is_represented_(norms.size()), equal_(equal) {
    for (std::size_t i = 0; i < norms.size(); ++i) {
      rank_[i] = count_;
      count_ += norms[i] > 0 ? 1 : 0;
    }
    for (const ImageId image : represented) is_represented_.at(image) = 1;
    for (const auto& [image, first] : equal) is_represented_.at(image) = 1;
  }

  // Not to be called while an image more than kMostAtOnce later is looked up.
  void set_represented(ImageId image) {
    // Equal images are represented from the start, and other threads may read so now.
    if (!is_represented(image)) is_represented_[image] = 1;
  }
  bool is_represented(ImageId image) const { return is_represented_[image] != 0; }

  // True if an image may be a neighbour of a later one.
  bool contains(ImageId image, ImageId earlier) const {
    if (norms_[earlier] <= 0) return false;
    const bool is_early = rank_[earlier] + kMostAtOnce < rank_[image];
    return !((is_early || equal_.contains(earlier)) && is_represented_[earlier] != 0);
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
  const std::map<ImageId, ImageId>& equal_;
};

// Collects edges and publishes them.
class GraphWriter {
 public:
  GraphWriter(IndexWriter& writer, const std::vector<float>& norms, Voters& voters)
      : writer_(writer), voters_(voters), neighbours_(norms), prints_(norms) {}

  // Gives the edges of an image, which has none yet, to both sides.
  void add(ImageId image, const FoundNeighbours& found) {
    for (const PrintPairEdges& pair : found.prints) {
      add_print(pair.to_other, prints_of(image));
      add_print(pair.back, prints_of(pair.to_other.image));
    }
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

  // Adds an image that is equal to an earlier one: it takes over the verified edges of that one,
  // which stands in for it.
  void add_equal(ImageId image, ImageId first) {
    std::vector<Neighbour> found = edges_of(first);
    std::erase_if(found, [](const Neighbour& edge) { return edge.by_votes() || edge.stands_in(); });
    add_neighbour({first, 1, EdgeKind::kStandsIn}, found);
    add(image, {std::move(found), {}});
  }

  void publish() {
    const auto neighbours = neighbours_.take<ImageNeighbours>();
    const auto prints = prints_.take<ImagePrints>();
    if (last_ > 0) writer_.put_neighbours(neighbours, last_, prints);
    published_ = std::chrono::steady_clock::now();
  }

 private:
  // Replaces edges to represented images by edges to the images that stand in for them.
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

  std::vector<Neighbour>& edges_of(ImageId image) {
    return neighbours_.of(image, [&](ImageId id) { return writer_.neighbours(id); });
  }
  std::vector<PrintEdge>& prints_of(ImageId image) {
    return prints_.of(image, [&](ImageId id) { return writer_.prints(id); });
  }

  IndexWriter& writer_;
  Voters& voters_;
  EdgeChanges<Neighbour> neighbours_;
  EdgeChanges<PrintEdge> prints_;
  ImageId last_ = 0;
  std::chrono::steady_clock::time_point published_ = std::chrono::steady_clock::now();
};

// Returns the last images before those to look up, then these, ascending.
std::vector<ImageId> with_those_before(const std::vector<ImageId>& work,
                                       const std::vector<float>& norms) {
  std::vector<ImageId> images;
  for (ImageId other = work.front(); other-- > 0 && images.size() < Voters::kMostAtOnce;) {
    if (norms[other] > 0) images.push_back(other);
  }
  std::ranges::reverse(images);
  images.insert(images.end(), work.begin(), work.end());
  return images;
}

}  // namespace

void complete_graph(IndexWriter& writer, const RunConfig& config, OpenClSession& session,
                    Progress::Style style, const std::function<void()>& before_each,
                    const std::string& label) {
  const std::vector<ImageId> work = writer.images_to_compare();
  if (work.empty()) return;
  const std::vector<float> norms = writer.norms();
  Progress progress(label, "images", work.size(), style);
  const std::map<ImageId, ImageId> equal =
      equal_pictures(config.store.database, writer, with_those_before(work, norms));
  Voters voters(norms, writer.represented_images(), equal);
  GraphWriter graph(writer, norms, voters);
  // A new reader for each batch: the log of a writer cannot shrink while one is open.
  for (std::size_t begin = 0; begin < work.size();) {
    const IndexReader index{std::filesystem::path(config.store.database)};
    const Searcher searcher(index, for_neighbours(config), &session);
    const std::size_t end = std::min(begin + NeighbourJoin::most_images(index), work.size());
    std::vector<NeighbourJoin::Image> batch;
    std::vector<std::size_t> places;  // of the batch in `work`, then the end
    for (std::size_t i = begin; i < end; ++i) {
      if (equal.contains(work[i])) continue;
      batch.push_back({work[i], voters.share(work[i])});
      places.push_back(i);
    }
    places.push_back(end);
    const auto join = searcher.join(
        batch, [&](ImageId image, ImageId earlier) { return voters.contains(image, earlier); },
        before_each);
    for (std::size_t first = begin, read = 0; first < end; first = places[read]) {
      read = join->read(read);
      const std::size_t last = places[read];
      // Equal images take a turn, so that the images looked up at the same time are at most
      // kMostAtOnce apart, as Voters needs.
      OrderedParallel<FoundNeighbours> found(
          last - first, core_count(), std::min(16 * core_count(), Voters::kMostAtOnce),
          [&](std::size_t i) {
            const auto place = std::ranges::lower_bound(places, first + i);
            return *place == first + i
                       ? join->neighbours(static_cast<std::size_t>(place - places.begin()))
                       : FoundNeighbours{};
          });
      for (std::size_t i = first; i < last; ++i) {
        before_each();
        const FoundNeighbours neighbours = *found.next();
        const auto known = equal.find(work[i]);
        if (known != equal.end()) {
          graph.add_equal(work[i], known->second);
        } else {
          graph.add(work[i], neighbours);
        }
        progress.update(i + 1);
      }
    }
    graph.publish();
    begin = end;
  }
}

}  // namespace lookalike
