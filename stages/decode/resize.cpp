#include "stages/decode/resize.h"

#include <algorithm>
#include <new>

#include <opencv2/imgproc.hpp>

namespace lookalike {

double scale_for(std::uint64_t width, std::uint64_t height, WantedSize size) {
  const std::uint64_t longest = std::max(width, height);
  const std::uint64_t least = std::min(size.at_least_px, size.at_most_px);
  const std::uint64_t wanted = std::clamp<std::uint64_t>(longest, least, size.at_most_px);
  return static_cast<double>(wanted) / static_cast<double>(longest);
}

bool vanishes(std::uint64_t width, std::uint64_t height, double scale) {
  return cvRound(static_cast<double>(std::min(width, height)) * scale) < 1;
}

GrayImage resized(const cv::Mat& gray, double factor) {
  cv::Mat result = gray;
  const int method = factor < 1 ? cv::INTER_AREA : cv::INTER_CUBIC;
  try {
    if (factor != 1) cv::resize(gray, result, {}, factor, factor, method);
  } catch (const cv::Exception& exception) {
    if (exception.code == cv::Error::StsNoMem) throw std::bad_alloc();
    throw;
  }
  GrayImage image(result.cols, result.rows);
  result.copyTo(cv::Mat(result.rows, result.cols, CV_8U, image.pixels.data()));
  return image;
}

}  // namespace lookalike
