#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/artefacts.h"
#include "kernels/assign/assign.h"
#include "stages/match/match.h"
#include "stages/match/index_cache.h"

namespace lookalike {

// One of the words of a query feature, with the feature's signature under that word.
struct QueryWord {
  std::uint32_t word = 0;
  std::uint64_t signature = 0;
  std::uint32_t feature = 0;  // number of the query's feature
  std::int32_t laplacian_sign = 0;

  bool operator==(const QueryWord&) const = default;
};

// A query as the index takes it.
struct IndexQuery {
  std::vector<QueryWord> words;      // by word, then by feature
  std::vector<FeaturePlace> places;  // of the features that words name, full-size px
  int width = 0;                     // px
  int height = 0;
  std::optional<ImageId> excluded_image;  // never an answer: the indexed image that is looked up
};

// Each of the photo's first `features` features has the `words_per_feature` words nearest to it,
// fewer when the codebook is smaller: a feature near the border of two words then still finds its
// like. The index stores the nearest alone, so this costs it nothing. Method: Jegou, Douze, Schmid,
// "Improving bag-of-features for large scale image search", IJCV 2010 (multiple assignment on the
// query's side). places are those of all features.
IndexQuery index_query(const Query& query, const Codebook& codebook, WordAssigner& assigner,
                       std::size_t words_per_feature, std::size_t features);

// Of an indexed image: its forward record, one word per feature.
IndexQuery index_query(const Record& record);

// An indexed image that the query surely shows, and where.
struct ExpansionSource {
  std::shared_ptr<const Record> record;
  Homography object_to_query;
};

// The query with the features of the sources added: those that lie inside the query, where the pose
// puts them. Their numbers follow those of the query's own features. Finds views of an object that
// have more in common with another view than with the query.
// Method: Chum, Philbin, Sivic, Isard, Zisserman, "Total recall: automatic query expansion with a
// generative feature model for object retrieval", ICCV 2007.
IndexQuery expanded(IndexQuery query, std::span<const ExpansionSource> sources);

}  // namespace lookalike
