#include "stages/decode/opencv_codecs.h"

#include "base/error.h"
#include "stages/decode/reader_modules.h"

namespace lookalike {

const OpenCvCodecs& opencv_codecs() {
  static const auto* codecs = static_cast<const OpenCvCodecs*>(load_module("opencv_codecs.so"));
  return *codecs;
}

std::vector<std::uint8_t> encode_image(const std::string& extension, const cv::Mat& image,
                                       int jpeg_quality) {
  std::vector<std::uint8_t> file;
  require(opencv_codecs().encode(extension, image, jpeg_quality, file),
          "encode_image: OpenCV made no file");
  return file;
}

}  // namespace lookalike
