#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "config/options.h"
#include "pipeline/artefacts.h"
#include "pipeline/image.h"

namespace lookalike {

// An image ready for the device: grey, upright, and reduced so that its longest side is at most
// what was asked.
struct DecodedImage {
  ImageRecord record;  // full size
  GrayImage pixels;    // reduced: never enlarged
  double scale = 1;    // reduced px per full-size px, the same on both axes; 1 when not reduced
};

// Full-size coordinates of a position in the reduced image. Pixel centres lie at whole numbers in
// both, so the half pixel counts.
inline double to_full_size(double position_px, double scale) {
  return (position_px + 0.5) / scale - 0.5;
}
inline double to_reduced(double position_px, double scale) {
  return (position_px + 0.5) * scale - 0.5;
}

// A file's bytes as they were read, once.
struct LoadedFile {
  SourceFile file;  // size and time as they were when it was opened
  ContentHash content{};
  std::vector<std::uint8_t> bytes;
};

// Images with a shorter side than this are set aside: no filter fits into them.
inline constexpr int kMinSidePx = 16;

// Reads and hashes a file. Reasons for skipping it: "vanished", "unreadable" (or no regular
// file), "empty", "too_large" (limits.max_file_mib).
std::variant<LoadedFile, SkippedFile> load_file(const std::string& path,
                                                const ImagesOptions& limits);

// Decodes with OpenCV to 8-bit grey (EXIF orientation honoured) and reduces by area averaging.
// Reasons for skipping: "too_large" (limits.max_megapixels, taken from the header where the format
// is known), "too_small", "undecodable" (also a JPEG or PNG that ends early, which OpenCV would
// fill with grey).
std::variant<DecodedImage, SkippedFile> decode(const LoadedFile& loaded,
                                               std::uint32_t longest_side_px,
                                               const ImagesOptions& limits);

// load_file, then decode. A file that cannot be used is a value, not an exception.
std::variant<DecodedImage, SkippedFile> decode_file(const std::string& path,
                                                    std::uint32_t longest_side_px,
                                                    const ImagesOptions& limits);

}  // namespace lookalike
