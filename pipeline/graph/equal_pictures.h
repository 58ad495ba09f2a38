#pragma once

#include <filesystem>
#include <map>
#include <span>

#include "storage/index_reader.h"

namespace lookalike {

// Returns those of some images of one database that have the size, pixel sums and features of an
// earlier image, with the first such image. As far as an index shows, they are one picture. Reads
// no files. The reader must see the published state. Throws as IndexReader.
std::map<ImageId, ImageId> equal_pictures(const std::filesystem::path& database,
                                          const IndexReader& index,
                                          std::span<const ImageId> images);

}  // namespace lookalike
