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
// the sample, or a cell of it, has fewer different features. Throws what the watch throws.
// Where cell_count() gives cells, k-means on a part of the features gives their centres, and
// k-means on the features of each cell its words, as many as its share of the features; a cell
// without a word is left out. The thresholds are those of the words that WordAssigner finds.
Codebook train_codebook(OpenClSession& session, const Sample& sample,
                        const CodebookOptions& options, const TrainingWatch& watch = {});

// How many cells a codebook of so many words has; 1: none. options.cells = 0 gives 512 above 65,536
// words, which is as many as options.words = 0 takes. Never more than words.
std::size_t cell_count(std::size_t words, const CodebookOptions& options);

// The steps that the watch sees at the most.
std::size_t training_steps(std::size_t words, const CodebookOptions& options);

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
