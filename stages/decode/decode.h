#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "config/options.h"
#include "pipeline/artefacts.h"
#include "pipeline/image.h"

namespace lookalike {

// An image ready for the device: grey, upright, and reduced so that its longest side is at most
// what was asked.
struct DecodedImage {
  ImageRecord record;  // full size
  GrayImage pixels;    // reduced: never enlarged
  double scale = 1;    // pixels.width / record.width, about; 1 when not reduced
};

// Full-size coordinates of a position in the reduced image. Pixel centres lie at whole numbers in
// both, so the half pixel counts.
inline double to_full_size(double position_px, double scale) {
  return (position_px + 0.5) / scale - 0.5;
}
inline double to_reduced(double position_px, double scale) {
  return (position_px + 0.5) * scale - 0.5;
}

// Reads a file once, hashes its bytes, decodes it with OpenCV (EXIF orientation honoured) and
// reduces it by area averaging. A file that cannot be used is a value, not an exception.
std::variant<DecodedImage, SkippedFile> decode_file(const std::string& path,
                                                    std::uint32_t longest_side_px,
                                                    const ImagesOptions& limits);

}  // namespace lookalike
