#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lookalike {

enum class ImageFormat {
  kJpeg,
  kPng,
  kGif,
  kHeif,          // HEIC and AVIF
  kAnimatedWebp,  // but not a WebP file of one picture
  kRaw,           // of a camera
  kOther,
};

// As the first bytes of a file show it, in a RAW file like TIFF its first directory. kOther for all
// that is not recognised.
ImageFormat format_of(std::span<const std::uint8_t> bytes);

// Whether a file that starts with these bytes is of a format that lookalike reads.
bool begins_an_image(std::span<const std::uint8_t> bytes);

// What the header of an image file declares, before anything is decoded.
struct ImageHeader {
  std::uint64_t width = 0;   // px, before EXIF orientation
  std::uint64_t height = 0;  // px
  ImageFormat format = ImageFormat::kOther;
  bool has_alpha = false;      // pixels may be transparent
  bool premultiplied = false;  // colours may have been multiplied by their alpha
  // The transparent level of a grey PNG, of 16 bits where its pixels have 16, else of 8.
  std::optional<std::uint16_t> transparent_level{};
  // The picture that a RAW file stands for: a file of its own, which the header is of.
  std::vector<std::uint8_t> preview{};
};

// The header of a JPEG, PNG, WebP, BMP, PNM, TIFF or JPEG 2000 file (of its codestream); nothing
// for other formats and for headers without a size. A RAW file like TIFF has that of its first
// directory. Never reads past the bytes.
std::optional<ImageHeader> read_image_header(std::span<const std::uint8_t> bytes);

// Whether a JPEG or PNG stops before its end marker. False for other formats.
bool ends_early(std::span<const std::uint8_t> bytes);

}  // namespace lookalike
