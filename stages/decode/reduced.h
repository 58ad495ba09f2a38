#pragma once

#include <variant>

#include <opencv2/core.hpp>

#include "config/options.h"
#include "stages/decode/load.h"

namespace lookalike {

// A photo at a smaller size, as a person sees it.
struct ReducedPixels {
  int width = 0;  // px of the upright photo at full size
  int height = 0;
  cv::Mat pixels;  // CV_8UC3, BGR
};

// Decodes a photo in colour and reduces its longest side to at most `longest_side_px`, at least 1,
// by area averaging. Reasons for skipping: as check_header() and decode_pixels().
std::variant<ReducedPixels, SkippedFile> decode_reduced(const LoadedFile& photo,
                                                        int longest_side_px,
                                                        const ImagesOptions& limits);

}  // namespace lookalike
