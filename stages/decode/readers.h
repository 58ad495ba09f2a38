#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <opencv2/core.hpp>

// JPEG and PNG files read by libjpeg-turbo and libpng themselves: OpenCV's readers would load a
// hundred libraries for the formats that they know besides. The pixels are those of cv::imdecode,
// upright as EXIF states. Files must be whole, with headers within the limits.
//
// An empty matrix means: use OpenCV. It is returned for damaged files, JPEG files that libjpeg
// warns about, CMYK, and EXIF that is broken before its orientation. Both readers throw
// cv::Exception (StsNoMem) or std::bad_alloc when memory runs out.
namespace lookalike {

enum class PixelMode {
  kGray,      // CV_8U
  kColour,    // CV_8UC3, BGR
  kAsStored,  // channels and depth as in the file; alpha makes it BGRA, but for a transparent level
};

// Reduced by `divisor`, 1, 2, 4 or 8, which divides both sides. Not kAsStored.
cv::Mat read_jpeg(std::span<const std::uint8_t> file, PixelMode mode, int divisor);

cv::Mat read_png(std::span<const std::uint8_t> file, PixelMode mode);

// The orientation that EXIF data states (JEITA CP-3451, tag 274), as it is stored. The data begins
// with its byte order mark. 1 without EXIF or without the tag; nothing when the tag's entry, or one
// before it, is cut off or points outside the data.
std::optional<int> exif_orientation(std::span<const std::uint8_t> exif);

// The image as it is to be seen: transposed for orientations above 4, then mirrored. Orientations
// other than 2 to 8 leave it as it is, sharing its pixels; 2 to 4 mirror it in place.
cv::Mat upright(const cv::Mat& stored, int orientation);

}  // namespace lookalike
