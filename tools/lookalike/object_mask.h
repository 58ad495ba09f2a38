#pragma once

#include <string>

#include <opencv2/core.hpp>

#include "base/image.h"
#include "config/options.h"
#include "stages/decode/decode.h"

namespace lookalike {

// A picture that says which pixels of an image count, of the image's full size: CV_8U, 0 where it
// is black or transparent. Throws Error(kInput) when it cannot be read within the limits or is of
// another size.
cv::Mat read_mask(const std::string& file, const ImageRecord& image, const ImagesOptions& limits);

// Which pixels of an object count, of the size of its reduced pixels: 255 where they do, else 0.
// By the object's own alpha and, where one is named, by the mask `mask_file` as well; empty when
// that leaves nothing out. Half and more of full counts. Throws as read_mask.
GrayImage object_mask(const DecodedImage& object, const std::string& mask_file,
                      const ImagesOptions& limits);

}  // namespace lookalike
