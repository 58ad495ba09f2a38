#pragma once

#include <filesystem>
#include <vector>

#include "storage/index_types.h"

namespace lookalike {

// Returns, by image number, the first image of one database with the same picture_key(), which may
// be the image itself; 0 for an image without features. Equal keys do not prove equal pictures: the
// caller compares their features. Reads the rows of all images. Throws as open_for_reading().
std::vector<ImageId> first_with_equal_sums(const std::filesystem::path& database);

}  // namespace lookalike
