#include "stages/decode/encode.h"

#include "base/error.h"
#include "stages/decode/readers.h"

namespace lookalike {

std::vector<std::uint8_t> encode_image(const std::string& extension, const cv::Mat& image,
                                       int jpeg_quality) {
  std::vector<std::uint8_t> file;
  require(opencv_module().encode(extension, image, jpeg_quality, file),
          "encode_image: OpenCV cannot write the image");
  return file;
}

}  // namespace lookalike
