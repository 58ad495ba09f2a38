#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
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
// Words lie in cells where cell_count() is above 1. By default, up to 65,536 words are trained on
// all features together, and group_words() makes the cells. Otherwise the cells come first: k-means
// on a part of the features gives their centres, and k-means on the features of each cell gives its
// words, as many as its share of the features; a cell without words is dropped. The thresholds are
// those of the words that WordAssigner finds.
// Throws as k_means(), and what the watch throws.
Codebook train_codebook(OpenClSession& session, const Sample& sample,
                        const CodebookOptions& options, const TrainingWatch& watch = {});

// Returns the number of cells that a codebook of this many words gets: options.cells, at most one
// per word. Where options.cells is 0: 64 from 16,384 words on, 512 above 65,536. 1 stands
// for none.
std::size_t cell_count(std::size_t words, const CodebookOptions& options);

// Sorts the words of a codebook into at most `cells` cells of neighbours, which it sets; their
// centres are those of k-means on the words. Thresholds are not moved with the words. The random
// numbers follow from options.seed alone, so that the rest of the training does not depend on
// cells.
//   folder  for temporary files
// Throws as k_means(), and what the watch throws.
void group_words(OpenClSession& session, const std::filesystem::path& folder, std::size_t cells,
                 const CodebookOptions& options, const TrainingWatch& watch, Codebook& codebook);

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
