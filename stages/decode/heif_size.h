#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace lookalike {

struct CodedSize {
  std::uint64_t width = 0;   // px
  std::uint64_t height = 0;  // px
  std::uint64_t pixels() const { return width * height; }
};

// Returns the largest area that decoding any item of a HEIC or AVIF file can need, by the items'
// own data (ISO/IEC 23008-12): HEVC's sequence parameter sets, AV1's sequence headers, the canvases
// of grids and overlays. The property `ispe`, which libheif reports, need not agree with any of
// them. Zero without such an item; nothing if the file would take too long to examine. Never reads
// past the bytes.
std::optional<CodedSize> largest_coded_size(std::span<const std::uint8_t> file);

}  // namespace lookalike
