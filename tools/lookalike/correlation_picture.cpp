#include "tools/lookalike/correlation_picture.h"

#include <algorithm>
#include <cmath>

#include <opencv2/imgcodecs.hpp>

#include "pipeline/error.h"

namespace lookalike {

GrayImage correlation_picture(const PoseMap& map) {
  GrayImage picture(map.width, map.height);
  std::transform(map.scores.begin(), map.scores.end(), picture.pixels.begin(), [](float score) {
    return static_cast<std::uint8_t>(std::lround(255 * std::clamp(score, 0.0F, 1.0F)));
  });
  return picture;
}

void write_picture(const GrayImage& picture, const std::string& file) {
  // OpenCV only reads from it.
  const cv::Mat pixels(picture.height, picture.width, CV_8U,
                       const_cast<std::uint8_t*>(picture.pixels.data()));
  bool written = false;
  try {
    written = cv::imwrite(file, pixels);
  } catch (const cv::Exception&) {  // of an ending that it does not know
  }
  if (!written) throw Error(ErrorKind::kStorage, file + ": the picture cannot be written");
}

}  // namespace lookalike
