#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace lookalike {

enum class ImageFormat { kJpeg, kPng, kTiff, kOther };

// What the header of an image file declares, before anything is decoded.
struct ImageHeader {
  std::uint64_t width = 0;   // px, before EXIF orientation
  std::uint64_t height = 0;  // px
  ImageFormat format = ImageFormat::kOther;
  bool has_alpha = false;  // pixels may be transparent
  // The transparent level of a grey PNG, of 16 bits where its pixels have 16, else of 8.
  std::optional<std::uint16_t> transparent_level{};
};

// The header of a JPEG, PNG, WebP, BMP, PNM, TIFF or JPEG 2000 file (of its codestream); nothing
// for other formats and for headers without a size. Never reads past the bytes.
std::optional<ImageHeader> read_image_header(std::span<const std::uint8_t> bytes);

// Whether a JPEG or PNG stops before its end marker. False for other formats.
bool ends_early(std::span<const std::uint8_t> bytes);

}  // namespace lookalike
