#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/artefacts.h"
#include "base/image.h"
#include "config/options.h"

namespace lookalike {

// The size in which pixels are wanted, by their longest side.
struct WantedSize {
  WantedSize(std::uint32_t at_most) : at_most_px(at_most) {}  // NOLINT(*-explicit-*): is its limit
  explicit WantedSize(const ExtractOptions& options)
      : at_most_px(options.longest_side_px), at_least_px(options.enlarge_to_px) {}

  std::uint32_t at_most_px;       // larger images are reduced
  std::uint32_t at_least_px = 0;  // smaller ones are enlarged, to at_most_px at most
};

// An image ready for the device: grey, upright, as a person sees it, and of the size that was asked
// for.
struct DecodedImage {
  ImageRecord record;  // full size
  GrayImage pixels;    // reduced or enlarged
  double scale = 1;    // px of these pixels per full-size px, on both axes; 1 when left as it was
  // How much of each of these pixels is the image's own, 0: it is transparent and shows a ground;
  // empty where all are opaque.
  GrayImage alpha{};
};

// Whether so much of a pixel is the image's own that it can be compared with others.
inline bool is_opaque(std::uint8_t alpha) {
  return alpha >= 128;
}

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
// file), "empty", "too_large" (limits.max_file_mib), "changing" (while it was read).
std::variant<LoadedFile, SkippedFile> load_file(const std::string& path,
                                                const ImagesOptions& limits);

// Decodes with OpenCV to 8-bit grey (EXIF orientation honoured, transparent pixels laid over a
// ground); reduces by area averaging, enlarges by cubic interpolation.
// Reasons for skipping: "too_large" (limits.max_megapixels, taken from the header), "too_small",
// "undecodable" (also what has no header that read_image_header knows, and a JPEG or PNG that ends
// early, which OpenCV would fill with grey). Throws std::bad_alloc when there is no memory for it.
std::variant<DecodedImage, SkippedFile> decode(const LoadedFile& loaded, WantedSize size,
                                               const ImagesOptions& limits);

// load_file, then decode. A file that cannot be used is a value, not an exception.
std::variant<DecodedImage, SkippedFile> decode_file(const std::string& path, WantedSize size,
                                                    const ImagesOptions& limits);

}  // namespace lookalike
