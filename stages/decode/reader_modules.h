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
#include "stages/decode/readers.h"

// Image readers in modules: shared libraries of lookalike's own, in the folder lookalike of the
// libraries, that are loaded when a picture needs them. Most commands need none, and the libraries
// behind them take long to load.
namespace lookalike {

// A module exports the struct below, or OpenCvCodecs, as a variable LOOKALIKE_MODULE_EXPORTS, which
// CMakeLists.txt defines as a name with lookalike's version: a package that is upgraded while a
// program runs leaves modules to it whose interface may be another.

// What the modules of GIF, HEIF and WebP export. Functions may be called from several threads, and
// throw std::bad_alloc and cv::Exception (StsNoMem) alone.
struct PictureReader {
  // Reads no pixels, and allocates nothing that depends on the picture's size. Nothing, and the
  // reason in `problem`, for a file that cannot be read; an empty `problem`, here and below, where
  // the library lacks a decoder or another part that the file needs.
  std::optional<ImageHeader> (*read_header)(std::span<const std::uint8_t> file,
                                            std::string& problem);
  // The picture, or the first of several, upright: CV_8UC3 (BGR) or CV_8UC4 (BGRA); for
  // PixelMode::kGray also CV_8U. Empty, and the reason in `problem`, where it cannot be read.
  cv::Mat (*read)(std::span<const std::uint8_t> file, PixelMode mode, std::string& problem);
  // Whether the library has its decoder of a format, one of the module's own by its name in
  // image_formats(). nullptr where all decoders are part of the library.
  bool (*has_decoder)(std::string_view format_name);
};

// The exports of a module, found by the run path of the program or the shared library that this is
// part of, which CMakeLists.txt sets. It is loaded on first use and never closed. Throws
// Error(kInternal) when it is missing, is of another version of lookalike, or cannot be loaded.
const void* load_module(const char* file_name);

// nullptr for formats without a module, and for those whose module was not built. Throws as
// load_module().
const PictureReader* picture_reader(ImageFormat format);

// Why files of a format cannot be read, naming the package that is needed; empty where they can be.
// Loads the format's module.
std::string missing_part(const ImageFormatInfo& format);

}  // namespace lookalike
