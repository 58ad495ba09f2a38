#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <opencv2/core.hpp>

namespace lookalike {

// Returns an image file in the format of the extension (".jpg"), written by cv::imencode.
//   jpeg_quality  0 to 100; ignored for other formats
// Throws Error(kInternal), also for an image that the format cannot hold, and as load_module().
std::vector<std::uint8_t> encode_image(const std::string& extension, const cv::Mat& image,
                                       int jpeg_quality = 95);

}  // namespace lookalike
