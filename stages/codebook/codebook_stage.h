#pragma once

#include <cstdint>
#include <vector>

#include "base/artefacts.h"
#include "base/random.h"
#include "config/options.h"
#include "kernels/session/session.h"
#include "stages/codebook/kmeans.h"
#include "stages/codebook/sample.h"
#include "storage/row_file.h"

namespace lookalike {

// Stage codebook: words by k-means, a random projection, and the thresholds that make signatures.
// The same sample, options and device give the same codebook; it has fewer words than planned when
// the sample has fewer different features. Throws what the watch throws.
Codebook train_codebook(OpenClSession& session, const Sample& sample,
                        const CodebookOptions& options, const TrainingWatch& watch = {});

// 64 random orthonormal rows [64][d], d >= 64: normal numbers, orthogonalised by Gram-Schmidt, in
// double precision. The index's bytes depend on each rounding.
std::vector<float> random_projection(std::size_t descriptor_size, Random& random);

// Thresholds [k][64] for signatures: the median, over the features [n][d] of a word, of each
// projection (the mean of the middle two where their number is even). The thresholds of a word
// without features are its own projections.
//   assignment [n]: the word of each feature
// Throws as RowFile, and what the watch throws.
std::vector<float> signature_thresholds(const Codebook& codebook, const RowFile& features,
                                        const std::vector<std::uint32_t>& assignment,
                                        const TrainingWatch& watch = {});

}  // namespace lookalike
