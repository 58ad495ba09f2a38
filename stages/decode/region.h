#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "stages/decode/decode.h"

namespace lookalike {

// A part of a photo: px of the upright photo at full size, counted from its top-left pixel.
struct Region {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;

  bool operator==(const Region&) const = default;
};

// "x,y,width,height" in whole numbers, x and y at least 0, width and height at least kMinSidePx.
// Throws Error(kUsage).
Region parse_region(std::string_view text);

// As decode_file, of the region alone: record.width and height are the region's, and positions
// count from its top-left pixel. It is resized as an image of its size would be, so a small part of
// a large photo keeps its detail.
// Throws Error(kInput) when the region leaves the photo; a photo that cannot be used is a value.
std::variant<DecodedImage, SkippedFile> decode_region(const std::string& path, const Region& region,
                                                      WantedSize size, const ImagesOptions& limits);

}  // namespace lookalike
