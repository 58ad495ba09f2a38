#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "base/artefacts.h"
#include "config/options.h"
#include "stages/decode/decode.h"

// Pictures of reports and of the page of lookalike serve.
namespace lookalike {

// A photo, reduced to a JPEG.
struct ReducedPhoto {
  int width = 0;  // px of the upright photo at full size
  int height = 0;
  std::vector<std::uint8_t> jpeg;
};

// Decodes a photo and reduces its longest side to at most `longest_side_px`. Returns a SkippedFile
// if it cannot be used within the limits.
std::variant<ReducedPhoto, SkippedFile> reduced_photo(const LoadedFile& photo, int longest_side_px,
                                                      const ImagesOptions& limits,
                                                      int jpeg_quality);

}  // namespace lookalike
