#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <opencv2/core.hpp>

#include "stages/decode/decode.h"
#include "stages/decode/image_header.h"
#include "stages/decode/readers.h"
#include "stages/decode/transparency.h"

// The only way to image readers: libjpeg-turbo and libpng for JPEG, camera RAW and PNG files
// (readers.h), those in modules for GIF, HEIC, AVIF and animated WebP (reader_modules.h), and
// OpenCV's for all others (opencv_codecs.h). They see whole files alone, whose headers keep to the
// limits, whatever lies behind a path.
namespace lookalike {

// Why an image of this size is over limits.max_megapixels; nothing when it is not.
std::optional<std::string> too_large(std::uint64_t width, std::uint64_t height,
                                     const ImagesOptions& limits);

// The header of a file that may be decoded; of a RAW file, that of its embedded preview. Reasons
// for skipping: "too_large" (limits.max_megapixels; in HEIC and AVIF also for what the coded
// pictures take, see heif_size.h, which the header then states), "undecodable" (what has no header
// that its reader or read_image_header knows, and a JPEG or PNG that ends early, which OpenCV would
// fill with grey), "no_reader" (a format that this build does not read). Throws as load_module().
std::variant<ImageHeader, SkippedFile> check_header(const LoadedFile& loaded,
                                                    const ImagesOptions& limits);

// How much smaller a JPEG file may be decoded: libjpeg can leave out frequencies and decode to
// half, a quarter or an eighth of the size in much less time. Done where it loses nothing: the
// sides divide evenly, so that coordinates stay exact, and the result is at least as large as the
// wanted size. 1 for other formats.
int jpeg_divisor(const ImageHeader& header, std::uint32_t longest_side_px);

// What a person sees of a file whose header was checked: 8-bit pixels, kGray or kColour, EXIF
// orientation honoured, transparent parts laid over a ground. Of several pictures in a file, the
// first or the one that the file names. Opaque images are as cv::imread reads them; a JPEG file may
// be reduced, see read_jpeg. Reasons for skipping: "undecodable", "no_reader" (the library lacks
// a decoder). Throws std::bad_alloc, and as load_module().
std::variant<ShownPixels, SkippedFile> decode_pixels(const LoadedFile& loaded,
                                                     const ImageHeader& header, PixelMode mode,
                                                     int jpeg_divisor = 1);

// load_file, check_header, decode_pixels.
std::variant<ShownPixels, SkippedFile> load_pixels(const std::string& path, PixelMode mode,
                                                   const ImagesOptions& limits);

// The same, but throws Error(kInput) for a file that cannot be used.
ShownPixels must_load_pixels(const std::string& path, PixelMode mode, const ImagesOptions& limits);

}  // namespace lookalike
