#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <opencv2/core.hpp>

#include "stages/decode/decode.h"
#include "stages/decode/image_header.h"
#include "stages/decode/transparency.h"

// The only way to OpenCV's decoders: they see whole files alone, whose headers keep to the limits,
// whatever lies behind a path.
namespace lookalike {

// Why an image of this size is over limits.max_megapixels; nothing when it is not.
std::optional<std::string> too_large(std::uint64_t width, std::uint64_t height,
                                     const ImagesOptions& limits);

// The header of a file that may be decoded. Reasons for skipping: "too_large"
// (limits.max_megapixels), "undecodable" (what has no header that read_image_header knows, and a
// JPEG or PNG that ends early, which OpenCV would fill with grey).
std::variant<ImageHeader, SkippedFile> check_header(const LoadedFile& loaded,
                                                    const ImagesOptions& limits);

// What a person sees of a file whose header was checked: 8-bit pixels by a cv::ImreadModes of grey
// or colour, EXIF orientation honoured, transparent parts laid over a ground. Opaque images are as
// cv::imread reads them. Reason for skipping: "undecodable". Throws std::bad_alloc.
std::variant<ShownPixels, SkippedFile> decode_pixels(const LoadedFile& loaded,
                                                     const ImageHeader& header, int mode);

// load_file, check_header, decode_pixels.
std::variant<ShownPixels, SkippedFile> load_pixels(const std::string& path, int mode,
                                                   const ImagesOptions& limits);

// The same, but throws Error(kInput) for a file that cannot be used.
ShownPixels must_load_pixels(const std::string& path, int mode, const ImagesOptions& limits);

}  // namespace lookalike
