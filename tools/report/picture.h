#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/artefacts.h"
#include "base/geometry.h"
#include "config/options.h"
#include "stages/decode/decode.h"

// Pictures in the pages that commands write, and drawings over them.
namespace lookalike {

// A photo, reduced to a JPEG that is embedded in the page.
struct Picture {
  int width = 0;   // px of the upright photo at full size
  int height = 0;  // px
  std::string data_uri;
};

// A photo at a smaller size.
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

// The same for a file, as a picture to embed.
std::variant<Picture, SkippedFile> load_picture(const std::string& path, int longest_side_px,
                                                const ImagesOptions& limits, int jpeg_quality);

// Returns SVG of the picture in its full-size px; `id` names it for <use>.
std::string embedded(const std::string& id, const Picture& picture);

// Colour of the outlines of differences.
inline constexpr const char* kDifferenceColour = "#ffd60a";

// Returns SVG of an outline, in px of the figure.
std::string polygon(const Quad& quad, const std::string& colour);

}  // namespace lookalike
