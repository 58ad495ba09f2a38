#pragma once

#include <memory>
#include <span>

#include "base/homography.h"
#include "stages/match/verify/verification.h"

namespace lookalike {

// An indexed image that the query shows for sure, and where.
struct SureHit {
  std::shared_ptr<const Record> record;
  Homography object_to_query;
};

// The question, asked with the features of sure hits as well: of those that lie inside the query,
// where the pose puts them. Their numbers follow those of the query's own features. Finds views of
// an object that have more in common with another view than with the query.
// Method: Chum, Philbin, Sivic, Isard, Zisserman, "Total recall: automatic query expansion with a
// generative feature model for object retrieval", ICCV 2007.
Question expanded(Question question, std::span<const SureHit> hits);

}  // namespace lookalike
