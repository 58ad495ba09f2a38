#include "pipeline/graph/build_graph.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "pipeline/searcher.h"

namespace lookalike {
namespace {

// Images between two readers of the index: the log of a writer cannot shrink while one is open.
constexpr std::size_t kImagesPerReader = 8192;
constexpr std::chrono::seconds kBetweenPublications{5};

RunConfig for_neighbours(RunConfig config) {
  config.match.second_look = false;
  return config;
}

// Collects edges and publishes them.
class GraphWriter {
 public:
  GraphWriter(IndexWriter& writer, const std::vector<float>& norms)
      : writer_(writer), norms_(norms) {}

  // Gives the edges of an image, which has none yet, to both sides.
  void add(ImageId image, const std::vector<Neighbour>& edges) {
    for (Neighbour edge : edges) {
      add_neighbour(edge, edges_of(image));
      add_neighbour(reversed(edge, image), edges_of(edge.image));
    }
    last_ = image;
    if (std::chrono::steady_clock::now() - published_ > kBetweenPublications) publish();
  }

  void publish() {
    std::vector<ImageNeighbours> images;
    for (auto& [image, edges] : changed_) images.push_back({image, std::move(edges)});
    changed_.clear();
    if (last_ > 0) writer_.put_neighbours(images, last_);
    published_ = std::chrono::steady_clock::now();
  }

 private:
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
  GraphWriter graph(writer, norms);
  for (std::size_t first = 0; first < work.size(); first += kImagesPerReader) {
    const std::size_t count = std::min(kImagesPerReader, work.size() - first);
    const IndexReader index{std::filesystem::path(config.store.database)};
    Searcher searcher(index, for_neighbours(config), &session);
    OrderedParallel<std::vector<Neighbour>> found(
        count, core_count(), 4 * core_count(), [&](std::size_t i) {
          const ImageId image = work[first + i];
          return searcher.neighbours(image, [&](ImageId other) { return other < image; });
        });
    for (std::size_t i = 0; i < count; ++i) {
      before_each();
      graph.add(work[first + i], *found.next());
      progress.update(first + i + 1);
    }
    graph.publish();
  }
}

}  // namespace lookalike
