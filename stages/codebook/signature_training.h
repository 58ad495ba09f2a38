#pragma once

#include <cstdint>
#include <vector>

#include "base/artefacts.h"
#include "base/random.h"
#include "stages/codebook/kmeans.h"
#include "storage/row_file.h"

namespace lookalike {

// 64 random orthonormal rows [64][d], d >= 64: normal numbers, made orthogonal by Gram and
// Schmidt, in double precision.
std::vector<float> random_projection(std::size_t descriptor_size, Random& random);

// Thresholds [k][64] for signatures: the median, over the features [n][d] of a word, of each
// projection (the middle of the two in the middle where their number is even). A word without
// features has its own projections.
//   assignment [n]: the word of each feature
// Throws as RowFile, and what the watch throws.
std::vector<float> signature_thresholds(const Codebook& codebook, const RowFile& features,
                                        const std::vector<std::uint32_t>& assignment,
                                        const TrainingWatch& watch = {});

}  // namespace lookalike
