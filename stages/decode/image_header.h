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
  kAnimatedWebp,  // WebP files of one picture are kOther
  kRaw,           // a camera's RAW file
  kOther,
};

// Recognises a file by its first bytes, RAW files based on TIFF also by their first directory.
// kOther for everything else, including formats that OpenCV reads.
ImageFormat format_of(std::span<const std::uint8_t> bytes);

// True if a file that starts with these bytes has a format that lookalike reads.
bool begins_an_image(std::span<const std::uint8_t> bytes);

// What the header of an image file declares, before anything is decoded.
struct ImageHeader {
  std::uint64_t width = 0;   // px, before EXIF orientation
  std::uint64_t height = 0;  // px
  ImageFormat format = ImageFormat::kOther;
  bool has_alpha = false;      // pixels may be transparent
  bool premultiplied = false;  // colours may have been multiplied by their alpha
  // The transparent level of a grey PNG: 16 bits where its pixels have 16, else 8.
  std::optional<std::uint16_t> transparent_level{};
  int orientation = 1;  // of a JPEG, as its EXIF states it (JEITA CP-3451, tag 274)
  // The picture that a RAW file stands for, a file of its own; the other fields describe it.
  std::vector<std::uint8_t> preview{};
};

// Reads the header of a JPEG, PNG, WebP, BMP, PNM, TIFF or JPEG 2000 file (its codestream), or of
// the first directory of a RAW file based on TIFF. Nothing for other formats and for headers
// without a size. Never reads past the bytes.
std::optional<ImageHeader> read_image_header(std::span<const std::uint8_t> bytes);

// True if a JPEG or PNG stops before its end marker. False for other formats.
bool ends_early(std::span<const std::uint8_t> bytes);

}  // namespace lookalike
