#include "pipeline/graph/print_edges.h"

#include <algorithm>
#include <utility>

#include "storage/inverted_index.h"

namespace lookalike {

void PrintEdges::add(ImageId image, std::span<const PrintPairEdges> found) {
  for (const PrintPairEdges& pair : found) {
    add_print(pair.to_other, edges_of(image));
    add_print(pair.back, edges_of(pair.to_other.image));
  }
}

std::vector<ImagePrints> PrintEdges::take() {
  std::vector<ImagePrints> images;
  for (auto& [image, edges] : changed_) images.push_back({image, std::move(edges)});
  changed_.clear();
  return images;
}

// Returns the edges of an image, without those to removed images.
std::vector<PrintEdge>& PrintEdges::edges_of(ImageId image) {
  const auto [at, is_new] = changed_.try_emplace(image);
  if (is_new) {
    at->second = writer_.prints(image);
    std::erase_if(at->second, [&](const PrintEdge& edge) {
      return edge.image >= norms_.size() || norms_[edge.image] == InvertedIndex::kNoNorm;
    });
  }
  return at->second;
}

}  // namespace lookalike
