#pragma once

#include <filesystem>
#include <map>
#include <span>

#include "storage/index_reader.h"

namespace lookalike {

// Finds the images that are equal to an earlier image of the database, as far as an index shows:
// same size, pixel sums and features. Maps each of them to the first image that it equals. Reads no
// files. `index` must read the published state of `database`. Throws as IndexReader.
//   images  in which to look for such images
std::map<ImageId, ImageId> equal_pictures(const std::filesystem::path& database,
                                          const IndexReader& index,
                                          std::span<const ImageId> images);

}  // namespace lookalike
