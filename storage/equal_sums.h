#pragma once

#include <filesystem>
#include <vector>

#include "storage/index_types.h"

namespace lookalike {

// Returns by image of one database: the first image, by number, of the same size, with as many
// features, whose decoded pixels have the same number, sum and sum of squares; the image itself
// where there is none. 0 for images without features. Two images with equal sums nearly always have
// equal pixels; their features tell. Reads the rows of all images, as InvertedIndex::norms() does.
// Throws as open_for_reading().
std::vector<ImageId> first_with_equal_sums(const std::filesystem::path& database);

}  // namespace lookalike
