#pragma once

#include <optional>
#include <string>

namespace lookalike {

// A photo made ready for a page.
struct Picture {
  int width = 0;         // px of the photo at full size, upright
  int height = 0;        // px
  std::string data_uri;  // a JPEG, reduced
};

// Reads a photo in colour and reduces it so that its longest side is at most longest_side_px.
// Nothing when the file cannot be read or decoded.
std::optional<Picture> load_picture(const std::string& path, int longest_side_px);

}  // namespace lookalike
