#pragma once

#include <string>
#include <variant>

#include "base/artefacts.h"
#include "config/options.h"

namespace lookalike {

// A photo made ready for a page.
struct Picture {
  int width = 0;         // px of the photo at full size, upright
  int height = 0;        // px
  std::string data_uri;  // a JPEG, reduced
};

// Reads a photo in colour, transparent parts laid over a grey ground, and reduces it so that its
// longest side is at most longest_side_px. A file that cannot be read within the limits is a value.
std::variant<Picture, SkippedFile> load_picture(const std::string& path, int longest_side_px,
                                                const ImagesOptions& limits);

}  // namespace lookalike
