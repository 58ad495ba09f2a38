#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "stages/decode/value_range.h"

namespace lookalike {

enum class ImageFormat {
  kJpeg,
  kPng,
  kGif,
  kHeif,          // HEIC and AVIF
  kAnimatedWebp,  // WebP files of one picture are kOther
  kPnm,
  kRaw,  // a camera's RAW file
  kOther,
};

// Recognises a file by its first bytes, RAW files based on TIFF also by their first directory.
// kOther for everything else, including formats that OpenCV reads.
ImageFormat format_of(std::span<const std::uint8_t> bytes);

// True if a file that starts with these bytes has a format that lookalike reads.
bool begins_an_image(std::span<const std::uint8_t> bytes);

// Returns what a file of another kind is, by its first bytes: "a PDF document", "a video"; empty
// for unknown ones.
std::string_view kind_of_other_file(std::span<const std::uint8_t> bytes);

// What the header of an image file declares, before anything is decoded.
struct ImageHeader {
  std::uint64_t width = 0;   // px, before EXIF orientation
  std::uint64_t height = 0;  // px
  ImageFormat format = ImageFormat::kOther;
  bool has_alpha = false;      // pixels may be transparent
  bool premultiplied = false;  // colours may have been multiplied by their alpha
  // The transparent level of a grey PNG: 16 bits where its pixels have 16, else 8.
  std::optional<std::uint16_t> transparent_level{};
  // As the EXIF of a JPEG, WebP or JPEG 2000 file states it (JEITA CP-3451, tag 274). 1 for other
  // formats, whose readers turn pictures.
  int orientation = 1;
  // Set for a TIFF file if its values need scaling before they fit 8 bits.
  std::optional<ValueRange> range{};
  // Set for whole numbers of more than 8 bits without a range of their own, for stretched().
  std::optional<ValueRange> deep{};
  // The picture that a RAW file stands for, a file of its own; the other fields describe it.
  std::vector<std::uint8_t> preview{};
};

// Reads the header of a JPEG, PNG, WebP, BMP, PNM, TIFF or JPEG 2000 file (its codestream), or of
// the first directory of a RAW file based on TIFF. Nothing for other formats and for headers
// without a size. Never reads past the bytes.
std::optional<ImageHeader> read_image_header(std::span<const std::uint8_t> bytes);

// True if a JPEG stops before its end marker, and its last scan has not begun: otherwise all of its
// pixels may be there, which read_jpeg() tells. False for other formats.
bool ends_early(std::span<const std::uint8_t> bytes);

// True if no end marker follows the pixels of a JPEG.
bool lacks_end_marker(std::span<const std::uint8_t> jpeg);

}  // namespace lookalike
