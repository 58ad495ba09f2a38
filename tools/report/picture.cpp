#include "tools/report/picture.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "stages/decode/quiet_cerr.h"
#include "tools/report/html.h"

namespace lookalike {
namespace {

constexpr int kJpegQuality = 85;

cv::Mat reduced(const cv::Mat& image, int longest_side_px) {
  const int longest = std::max(image.cols, image.rows);
  if (longest <= longest_side_px) return image;
  const double scale = static_cast<double>(longest_side_px) / longest;
  cv::Mat result;
  cv::resize(image, result, {}, scale, scale, cv::INTER_AREA);
  return result;
}

}  // namespace

std::optional<Picture> load_picture(const std::string& path, int longest_side_px) {
  const QuietCerr quiet;
  cv::Mat image;
  try {
    image = cv::imread(path, cv::IMREAD_COLOR);
  } catch (const cv::Exception&) {
    return std::nullopt;
  }
  if (image.empty()) return std::nullopt;
  std::vector<std::uint8_t> jpeg;
  cv::imencode(".jpg", reduced(image, longest_side_px), jpeg,
               {cv::IMWRITE_JPEG_QUALITY, kJpegQuality});
  return Picture{image.cols, image.rows, "data:image/jpeg;base64," + base64(jpeg)};
}

}  // namespace lookalike
