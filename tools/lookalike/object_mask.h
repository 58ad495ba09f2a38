#pragma once

#include <string>

#include <opencv2/core.hpp>

#include "base/image.h"
#include "config/options.h"
#include "stages/decode/decode.h"

namespace lookalike {

// Reads a mask of an image's full size: CV_8U, 0 where black or transparent. Throws Error(kInput)
// when it cannot be read within the limits or has another size.
cv::Mat read_mask(const std::string& file, const ImageRecord& image, const ImagesOptions& limits);

// Returns the mask of an object at the size of its reduced pixels: 255 where both its alpha and the
// mask file, if any, are at least half of full, else 0. Empty if all pixels count. Throws as
// read_mask().
GrayImage object_mask(const DecodedImage& object, const std::string& mask_file,
                      const ImagesOptions& limits);

}  // namespace lookalike
