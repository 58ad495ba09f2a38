#include "tools/lookalike/object_mask.h"

#include <algorithm>

#include <fmt/format.h>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "pipeline/error.h"
#include "stages/decode/pixels.h"

namespace lookalike {
namespace {

constexpr double kHalf = 127;

cv::Mat read_mask(const std::string& file, const ImageRecord& object, const ImagesOptions& limits) {
  const cv::Mat mask = must_load_pixels(file, cv::IMREAD_GRAYSCALE, limits);
  if (mask.cols == object.width && mask.rows == object.height) return mask;
  throw Error(ErrorKind::kInput,
              fmt::format("{}: a mask must be of the object's size, {} x {} px, was {} x {}", file,
                          object.width, object.height, mask.cols, mask.rows));
}

// The alpha channel; empty where there is none. Turned pictures (EXIF) have none that we know of.
cv::Mat read_alpha(const std::string& file, const ImageRecord& object,
                   const ImagesOptions& limits) {
  const cv::Mat image = must_load_pixels(file, cv::IMREAD_UNCHANGED, limits);
  if (image.channels() != 4 || image.cols != object.width || image.rows != object.height) return {};
  cv::Mat alpha;
  cv::extractChannel(image, alpha, 3);
  if (alpha.depth() == CV_16U) alpha.convertTo(alpha, CV_8U, 1.0 / 257);
  return alpha.depth() == CV_8U ? alpha : cv::Mat();
}

}  // namespace

GrayImage object_mask(const std::string& object_file, const DecodedImage& object,
                      const std::string& mask_file, const ImagesOptions& limits) {
  cv::Mat full = read_alpha(object_file, object.record, limits);
  if (!mask_file.empty()) {
    const cv::Mat mask = read_mask(mask_file, object.record, limits);
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
