#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"

// Image files for tests of decoding, valid and damaged.
namespace lookalike {

using FileBytes = std::vector<std::uint8_t>;

// The formats, as file name extensions: ".jpg".
std::span<const std::string> image_file_extensions();

// The file with flipped bits, mostly near its start, or truncated, or with the start of one of the
// others. No file may be empty.
FileBytes mutated(FileBytes file, std::span<const FileBytes> others, Random& random);

}  // namespace lookalike
