#pragma once

#include <map>
#include <utility>
#include <vector>

#include "storage/inverted_index.h"

namespace lookalike {

// The edges of the images that a run changes, before they are published: Edge is Neighbour or
// PrintEdge.
template <typename Edge>
class EdgeChanges {
 public:
  // `norms` are those of InvertedIndex::norms(), and must outlive this.
  explicit EdgeChanges(const std::vector<float>& norms) : norms_(norms) {}

  // Returns the edges of an image to change: at first those that read(image) returns, without those
  // to removed images. The reference is valid until take().
  template <typename Read>
  std::vector<Edge>& of(ImageId image, const Read& read) {
    const auto [at, is_new] = changed_.try_emplace(image);
    if (is_new) {
      at->second = read(image);
      std::erase_if(at->second, [&](const Edge& edge) {
        return edge.image >= norms_.size() || norms_[edge.image] == InvertedIndex::kNoNorm;
      });
    }
    return at->second;
  }

  // Returns the edges of all images that of() was called for since the last call, as Images, which
  // are {image, edges}; ascending.
  template <typename Images>
  std::vector<Images> take() {
    std::vector<Images> images;
    for (auto& [image, edges] : changed_) images.push_back({image, std::move(edges)});
    changed_.clear();
    return images;
  }

 private:
  const std::vector<float>& norms_;
  std::map<ImageId, std::vector<Edge>> changed_;
};

}  // namespace lookalike
