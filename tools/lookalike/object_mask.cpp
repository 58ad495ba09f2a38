#include "tools/lookalike/object_mask.h"

#include <algorithm>

#include <fmt/format.h>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "pipeline/error.h"

namespace lookalike {
namespace {

constexpr double kHalf = 127;

// Empty where it cannot be read.
cv::Mat read(const std::string& file, int mode) {
  try {
    return cv::imread(file, mode);
  } catch (const cv::Exception&) {  // of a picture that is too large
    return {};
  }
}

cv::Mat read_mask(const std::string& file, const ImageRecord& object) {
  const cv::Mat mask = read(file, cv::IMREAD_GRAYSCALE);
  if (mask.empty()) throw Error(ErrorKind::kInput, file + ": the mask cannot be read");
  if (mask.cols == object.width && mask.rows == object.height) return mask;
  throw Error(ErrorKind::kInput,
              fmt::format("{}: a mask must be of the object's size, {} x {} px, was {} x {}", file,
                          object.width, object.height, mask.cols, mask.rows));
}

// The alpha channel; empty where there is none. Turned pictures (EXIF) have none that we know of.
cv::Mat read_alpha(const std::string& file, const ImageRecord& object) {
  const cv::Mat image = read(file, cv::IMREAD_UNCHANGED);
  if (image.channels() != 4 || image.cols != object.width || image.rows != object.height) return {};
  cv::Mat alpha;
  cv::extractChannel(image, alpha, 3);
  if (alpha.depth() == CV_16U) alpha.convertTo(alpha, CV_8U, 1.0 / 257);
  return alpha.depth() == CV_8U ? alpha : cv::Mat();
}

}  // namespace

GrayImage object_mask(const std::string& object_file, const DecodedImage& object,
                      const std::string& mask_file) {
  cv::Mat full = read_alpha(object_file, object.record);
  if (!mask_file.empty()) {
    const cv::Mat mask = read_mask(mask_file, object.record);
    full = full.empty() ? mask : cv::Mat(cv::min(full, mask));
  }
  if (full.empty()) return {};
  GrayImage mask(object.pixels.width, object.pixels.height);
  cv::Mat out(mask.height, mask.width, CV_8U, mask.pixels.data());
  cv::resize(full, out, out.size(), 0, 0, cv::INTER_AREA);
  cv::threshold(out, out, kHalf, 255, cv::THRESH_BINARY);
  const bool all = std::all_of(mask.pixels.begin(), mask.pixels.end(),
                               [](std::uint8_t pixel) { return pixel != 0; });
  return all ? GrayImage() : mask;
}

}  // namespace lookalike
