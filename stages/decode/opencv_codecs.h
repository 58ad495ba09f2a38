#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <opencv2/core.hpp>

#include "stages/decode/readers.h"

// OpenCV's image readers and writers. They are in a module, opencv_codecs.so (reader_modules.h),
// because they load a hundred libraries.
namespace lookalike {

// What the module exports.
struct OpenCvCodecs {
  // cv::imdecode; an empty matrix for what OpenCV cannot read.
  cv::Mat (*decode)(const std::vector<std::uint8_t>& file, PixelMode mode, int divisor);
  // See encode_image; false where cv::imencode is.
  bool (*encode)(const std::string& extension, const cv::Mat& image, int jpeg_quality,
                 std::vector<std::uint8_t>& file);
};

// Throws as load_module().
const OpenCvCodecs& opencv_codecs();

// An image file in the format of the extension (".jpg"), by cv::imencode.
//   jpeg_quality  0 to 100; no other format heeds it
// Throws Error(kInternal), also for an image that the format cannot hold.
std::vector<std::uint8_t> encode_image(const std::string& extension, const cv::Mat& image,
                                       int jpeg_quality = 95);

}  // namespace lookalike
