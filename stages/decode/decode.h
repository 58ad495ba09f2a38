#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/artefacts.h"
#include "base/image.h"
#include "config/options.h"
#include "stages/decode/load.h"

namespace lookalike {

// Returns the size that features are extracted in.
WantedSize wanted_size(const ExtractOptions& options);

// Minimum length of the shorter side; no filter fits into smaller images.
inline constexpr int kMinSidePx = 16;

// Decodes to 8-bit grey, upright as EXIF states, transparent pixels laid over a ground; reduces by
// area averaging, enlarges by cubic interpolation. Reasons for skipping: "too_large"
// (limits.max_megapixels, by the header), "too_small", "undecodable", "no_reader" and "no_memory"
// (see check_header(), decode_pixels()). Large images are decoded one at a time (LargeImageLock).
// Throws as decode_pixels().
std::variant<DecodedImage, SkippedFile> decode(const LoadedFile& loaded, WantedSize size,
                                               const ImagesOptions& limits);

// Calls load_file(), then decode().
std::variant<DecodedImage, SkippedFile> decode_file(const std::string& path, WantedSize size,
                                                    const ImagesOptions& limits);

// A part of a photo, in px of the upright photo at full size from its top-left pixel.
struct Region {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;

  bool operator==(const Region&) const = default;
};

// Parses "x,y,width,height": whole numbers, x and y at least 0, width and height at least
// kMinSidePx. Throws Error(kUsage).
Region parse_region(std::string_view text);

// Decodes the region alone, like an image of its size, so that a small part of a large photo keeps
// its detail: record.width and height are the region's, and positions count from its top-left
// pixel. Throws Error(kInput) when the region leaves the photo; a photo that cannot be used is a
// value.
std::variant<DecodedImage, SkippedFile> decode_region(const LoadedFile& loaded,
                                                      const Region& region, WantedSize size,
                                                      const ImagesOptions& limits);

}  // namespace lookalike
