#pragma once

#include <map>
#include <span>
#include <vector>

#include "storage/index_writer.h"
#include "storage/prints.h"

namespace lookalike {

// Collects the edges between images of one print that a run finds (NeighbourJoin), and gives
// them to both of their images. Edges to removed images give way.
class PrintEdges {
 public:
  // `norms` are those of IndexReader::norms().
  PrintEdges(const IndexWriter& writer, const std::vector<float>& norms)
      : writer_(writer), norms_(norms) {}

  void add(ImageId image, std::span<const PrintPairEdges> found);

  // Returns all edges of the images that gained some since the last call.
  std::vector<ImagePrints> take();

 private:
  std::vector<PrintEdge>& edges_of(ImageId image);

  const IndexWriter& writer_;
  const std::vector<float>& norms_;
  std::map<ImageId, std::vector<PrintEdge>> changed_;
};

}  // namespace lookalike
