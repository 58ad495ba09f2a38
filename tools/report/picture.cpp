#include "tools/report/picture.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "stages/decode/pixels.h"
#include "tools/report/html.h"

namespace lookalike {
namespace {

constexpr int kJpegQuality = 85;

cv::Mat reduced(const cv::Mat& image, int longest_side_px) {
  const int longest = std::max(image.cols, image.rows);
  if (longest <= longest_side_px) return image;
  const double scale = static_cast<double>(longest_side_px) / longest;
  const auto side = [&](int px) { return std::max(1, cvRound(px * scale)); };
  cv::Mat result;
  cv::resize(image, result, {side(image.cols), side(image.rows)}, 0, 0, cv::INTER_AREA);
  return result;
}

}  // namespace

std::variant<Picture, SkippedFile> load_picture(const std::string& path, int longest_side_px,
                                                const ImagesOptions& limits) {
  auto loaded = load_pixels(path, cv::IMREAD_COLOR, limits);
  if (auto* file = std::get_if<SkippedFile>(&loaded)) return std::move(*file);
  const cv::Mat& image = std::get<ShownPixels>(loaded).pixels;
  std::vector<std::uint8_t> jpeg;
  cv::imencode(".jpg", reduced(image, longest_side_px), jpeg,
               {cv::IMWRITE_JPEG_QUALITY, kJpegQuality});
  return Picture{image.cols, image.rows, "data:image/jpeg;base64," + base64(jpeg)};
}

}  // namespace lookalike
