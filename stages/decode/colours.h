#pragma once

#include <optional>
#include <variant>

#include <opencv2/core.hpp>

#include "base/image.h"
#include "config/options.h"
#include "stages/decode/decode.h"
#include "stages/decode/load.h"

namespace lookalike {

// Decodes in colour, upright, transparent pixels laid over a ground; a region, which must lie in
// the photo, becomes a picture of its own. Reduces by area averaging what has more than
// `most_pixels`. Reasons for skipping and exceptions: as decode().
std::variant<ColourImage, SkippedFile> decode_in_colour(
    const LoadedFile& loaded, double most_pixels, const ImagesOptions& limits,
    const std::optional<Region>& region = std::nullopt);

// Splits pixels, CV_8UC3, into brightness and colours.
//   full   the size of the file
//   alpha  CV_8U, or empty if all is opaque
ColourImage colour_image(cv::Size full, const cv::Mat& pixels, const cv::Mat& alpha = {});

}  // namespace lookalike
