#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "config/options.h"
#include "stages/decode/image_header.h"
#include "stages/decode/load.h"
#include "stages/decode/readers.h"
#include "stages/decode/transparency.h"

// The door to the image readers. Whatever lies behind a path, readers only get whole files whose
// headers keep to the limits.
namespace lookalike {

// Returns why an image of this size exceeds limits.max_megapixels; nothing if it does not.
std::optional<std::string> too_large(std::uint64_t width, std::uint64_t height,
                                     const ImagesOptions& limits);

// Returns the header of a file that may be decoded; for a RAW file, that of its embedded preview.
// For HEIC and AVIF it states the size of the coded pictures (heif_size.h) if that is larger.
// Reasons for skipping: "too_large" (limits.max_megapixels), "undecodable" (no header that the
// reader or read_image_header() knows, or a JPEG or PNG that ends early, which OpenCV would fill
// with grey), "no_reader" (this build cannot read the format). Throws as ReaderProcess.
std::variant<ImageHeader, SkippedFile> check_header(const LoadedFile& loaded,
                                                    const ImagesOptions& limits);

// Returns by how much a JPEG file may be reduced while it is decoded: libjpeg can leave out
// frequencies and decode to half, a quarter or an eighth of the size in much less time. Loses
// nothing: both sides are multiples, so that coordinates stay exact, and the result is at least as
// large as wanted. 1 for other formats.
int jpeg_divisor(const ImageHeader& header, std::uint32_t longest_side_px);

// Decodes a file with a checked header to what a person sees: 8-bit pixels, kGray or kColour,
// upright as EXIF states, transparent parts laid over a ground. Of several pictures, decodes the
// one that the file names, else the first. Opaque images are as cv::imread reads them, but for what
// docs/formats.md lists.
//   jpeg_divisor  see above
// Callers on several threads hold a LargeImageLock. Reasons for skipping: "undecodable",
// "no_reader" (the library lacks a decoder), "no_memory". Throws as ReaderProcess.
std::variant<ShownPixels, SkippedFile> decode_pixels(const LoadedFile& loaded,
                                                     const ImageHeader& header, PixelMode mode,
                                                     int jpeg_divisor = 1);

// Calls load_file(), check_header() and decode_pixels().
std::variant<ShownPixels, SkippedFile> load_pixels(const std::string& path, PixelMode mode,
                                                   const ImagesOptions& limits);

// Like load_pixels(), but throws Error(kInput) for a file that cannot be used.
ShownPixels must_load_pixels(const std::string& path, PixelMode mode, const ImagesOptions& limits);

}  // namespace lookalike
