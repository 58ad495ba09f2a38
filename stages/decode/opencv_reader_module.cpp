#include <opencv2/imgcodecs.hpp>

#include "stages/decode/readers.h"

namespace lookalike {
namespace {

int flags_of(PixelMode mode, int divisor) {
  // Upright, unlike IMREAD_UNCHANGED. OpenCV does not use GDAL to decode from memory.
  if (mode == PixelMode::kAsStored) return cv::IMREAD_LOAD_GDAL;
  const bool gray = mode == PixelMode::kGray;
  switch (divisor) {
    case 2:
      return gray ? cv::IMREAD_REDUCED_GRAYSCALE_2 : cv::IMREAD_REDUCED_COLOR_2;
    case 4:
      return gray ? cv::IMREAD_REDUCED_GRAYSCALE_4 : cv::IMREAD_REDUCED_COLOR_4;
    case 8:
      return gray ? cv::IMREAD_REDUCED_GRAYSCALE_8 : cv::IMREAD_REDUCED_COLOR_8;
    default:
      return gray ? cv::IMREAD_GRAYSCALE : cv::IMREAD_COLOR;
  }
}

cv::Mat read(const std::vector<std::uint8_t>& file, PixelMode mode, int divisor) {
  return cv::imdecode(file, flags_of(mode, divisor));
}

bool encode(const std::string& extension, const cv::Mat& image, int jpeg_quality,
            std::vector<std::uint8_t>& file) {
  return cv::imencode(extension, image, file, {cv::IMWRITE_JPEG_QUALITY, jpeg_quality});
}

}  // namespace

extern "C" {
extern const OpenCvReader LOOKALIKE_MODULE_EXPORTS;
const OpenCvReader LOOKALIKE_MODULE_EXPORTS = {read, encode};
}

}  // namespace lookalike
