#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"

// Image files for tests of what reads them, whole and as a bad disk or a bad person leaves them.
namespace lookalike {

using FileBytes = std::vector<std::uint8_t>;

// The formats that are written, as names of files end: ".jpg".
std::span<const std::string> image_file_extensions();

// The file with flipped bits, most of them near its start, with a lost end, or with the start of
// one of the others. No file may be empty.
FileBytes mutated(FileBytes file, std::span<const FileBytes> others, Random& random);

}  // namespace lookalike
