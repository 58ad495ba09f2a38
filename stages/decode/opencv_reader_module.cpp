#include <opencv2/imgcodecs.hpp>

#include "stages/decode/readers.h"

namespace lookalike {
namespace {

int flags_of(PixelMode mode) {
  // Our side turns pictures by EXIF, which releases of OpenCV read in different formats. TIFF is
  // turned by its own tag in any case. OpenCV does not use GDAL to decode from memory.
  const int kept = mode == PixelMode::kAsStored ? cv::IMREAD_LOAD_GDAL
                   : mode == PixelMode::kGray   ? cv::IMREAD_GRAYSCALE
                                                : cv::IMREAD_COLOR;
  return kept | cv::IMREAD_IGNORE_ORIENTATION;
}

cv::Mat read(std::span<const std::uint8_t> file, PixelMode mode, std::string& problem) {
  const cv::Mat bytes(1, static_cast<int>(file.size()), CV_8U,
                      const_cast<std::uint8_t*>(file.data()));
  cv::Mat image = cv::imdecode(bytes, flags_of(mode));
  if (image.empty()) problem = "the image cannot be read";
  return image;
}

bool encode(const std::string& extension, const cv::Mat& image, int jpeg_quality,
            std::vector<std::uint8_t>& file) {
  return cv::imencode(extension, image, file, {cv::IMWRITE_JPEG_QUALITY, jpeg_quality});
}

}  // namespace

extern "C" {
extern const OpenCvModule LOOKALIKE_MODULE_EXPORTS;
const OpenCvModule LOOKALIKE_MODULE_EXPORTS = {{nullptr, read, nullptr}, encode};
}

}  // namespace lookalike
