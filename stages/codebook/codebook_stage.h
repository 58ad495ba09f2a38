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

// Stage codebook: trains words by k-means, and makes a random projection and the thresholds of
// signatures. The same sample, options and device give the same codebook. It has fewer words than
// planned if the sample, or one of its cells, has fewer different features.
//
// Where cell_count() is above 1, words lie in cells. By default up to 65,536 words are trained as
// without cells, and k-means on the words gives the cells. More words, and those of options.cells,
// are trained in cells: k-means on a part of the features gives the centres, and k-means on the
// features of each cell gives its words, as many as its share of the features. A cell without words
// is dropped. The thresholds are those of the words that WordAssigner finds.
// Throws as k_means(), and what the watch throws.
Codebook train_codebook(OpenClSession& session, const Sample& sample,
                        const CodebookOptions& options, const TrainingWatch& watch = {});

// Returns the number of cells that a codebook of this many words gets: options.cells, at most one
// per word. Where options.cells is 0: 64 from 16,384 words on, 512 above 65,536, else
// none. 1 stands for none.
std::size_t cell_count(std::size_t words, const CodebookOptions& options);

// Returns 64 random orthonormal rows [64][d], d >= 64: normal numbers, orthogonalised by
// Gram-Schmidt in double precision. The index's bytes depend on every rounding.
std::vector<float> random_projection(std::size_t descriptor_size, Random& random);

// Returns the thresholds [k][64] of signatures: for each word the median of each projection over
// the word's features, the mean of the middle two for an even number. A word without features takes
// its own projections.
//   features    [n][d]
//   assignment  [n]: the word of each feature
// Throws as RowFile, and what the watch throws.
std::vector<float> signature_thresholds(const Codebook& codebook, const RowFile& features,
                                        const std::vector<std::uint32_t>& assignment,
                                        const TrainingWatch& watch = {});

}  // namespace lookalike
