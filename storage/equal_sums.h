#pragma once

#include <filesystem>
#include <vector>

#include "storage/index_types.h"

namespace lookalike {

// Returns for each image of one database, by number, the first image of the same size and number of
// features whose decoded pixels have the same count, sum and sum of squares: itself if no earlier
// one has. 0 for images without features. Images with equal sums nearly always have equal pixels;
// comparing their features makes sure. Reads the rows of all images. Throws as open_for_reading().
std::vector<ImageId> first_with_equal_sums(const std::filesystem::path& database);

}  // namespace lookalike
