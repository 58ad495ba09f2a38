#pragma once

#include <filesystem>
#include <vector>

#include "storage/index_types.h"

namespace lookalike {

// Returns for each image of one database, by number, the first image with the same picture_key():
// itself if no earlier one has it. 0 for images without features. Comparing their features makes
// sure that they are equal. Reads the rows of all images. Throws as open_for_reading().
std::vector<ImageId> first_with_equal_sums(const std::filesystem::path& database);

}  // namespace lookalike
