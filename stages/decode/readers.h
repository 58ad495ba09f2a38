#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <opencv2/core.hpp>

#include "config/image_formats.h"
#include "stages/decode/image_header.h"

// Image readers. JPEG and PNG are read by libjpeg-turbo and libpng, which are linked, so that most
// commands load no other library. Reader modules (base/module.h) read the rest: gif_reader.so,
// heif_reader.so and webp_reader.so read one format each, opencv_reader.so all others.
//
// Readers require whole files whose headers keep to the limits. pixels.h checks that, and only it
// calls them.
namespace lookalike {

enum class PixelMode {
  kGray,      // CV_8U
  kColour,    // CV_8UC3, BGR
  kAsStored,  // channels and depth of the file, BGRA with an alpha channel
};

// Reads a JPEG file, upright as EXIF states, with the pixels of cv::imdecode. Returns an empty
// matrix for files left to OpenCV: damaged ones, those that libjpeg warns about, CMYK, and EXIF
// that is broken before its orientation.
//   divisor  reduces the picture: 1, 2, 4 or 8, a divisor of both sides; 1 for kAsStored
// Throws cv::Exception (StsNoMem) or std::bad_alloc.
cv::Mat read_jpeg(std::span<const std::uint8_t> file, PixelMode mode, int divisor);

// Reads a PNG file in the same way. A grey picture with a transparent level comes without alpha.
cv::Mat read_png(std::span<const std::uint8_t> file, PixelMode mode);

// Turns a picture upright: transposes it for orientations 5 to 8, then mirrors it. Leaves it as it
// is for orientations other than 2 to 8, sharing its pixels; mirrors in place for 2 to 4.
cv::Mat upright(const cv::Mat& stored, int orientation);

// What the reader modules of GIF, HEIF and WebP export. Thread-safe. Functions throw only
// std::bad_alloc and cv::Exception (StsNoMem).
struct ImageReader {
  // Reads the header alone, without allocating memory by the picture's size. On failure returns
  // nothing and sets `problem`. Here and below, an empty `problem` means that the library lacks a
  // decoder or another part that the file needs.
  std::optional<ImageHeader> (*read_header)(std::span<const std::uint8_t> file,
                                            std::string& problem);
  // Reads the picture, or the first of several, upright: CV_8UC3 (BGR), CV_8UC4 (BGRA) or, for
  // kGray, CV_8U. On failure returns an empty matrix and sets `problem`.
  cv::Mat (*read)(std::span<const std::uint8_t> file, PixelMode mode, std::string& problem);
  // True if the library has its decoder of a format, named as in image_formats(). nullptr for
  // libraries with all decoders built in.
  bool (*has_decoder)(std::string_view format_name);
};

// Returns the reader module of a format, loading it on first use; nullptr for formats without one,
// or whose module was not built. Throws as load_module().
const ImageReader* reader_module(ImageFormat format);

// What opencv_reader.so exports. OpenCV's writers are there too: they need the same libraries.
struct OpenCvReader {
  // cv::imdecode; an empty matrix for what OpenCV cannot read.
  cv::Mat (*read)(const std::vector<std::uint8_t>& file, PixelMode mode, int divisor);
  // cv::imencode; false on failure.
  bool (*encode)(const std::string& extension, const cv::Mat& image, int jpeg_quality,
                 std::vector<std::uint8_t>& file);
};

// Loads it on first use. Throws as load_module().
const OpenCvReader& opencv_reader();

// Reads a file whose format has no reader module: JPEG and PNG by the functions above, what they
// leave and all other formats by OpenCV. Returns an empty matrix for what cannot be read. Throws as
// read_jpeg() and load_module().
cv::Mat read_image(const std::vector<std::uint8_t>& file, ImageFormat format, PixelMode mode,
                   int divisor);

// Returns why files of a format cannot be read, naming the package that is missing; empty if they
// can. Loads the format's module.
std::string missing_part(const ImageFormatInfo& format);

}  // namespace lookalike
