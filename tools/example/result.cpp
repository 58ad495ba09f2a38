#include <algorithm>
#include <array>
#include <string>

#include <opencv2/imgproc.hpp>

#include "tools/example/drawing.h"

namespace lookalike {
namespace {

// Drawn so much larger and then reduced, for smooth edges.
constexpr int kOversampling = 3;
constexpr int kGapPx = 16;

const cv::Scalar& colour(std::size_t index) {
  static const std::array<cv::Scalar, 4> colours = {
      cv::Scalar(58, 69, 255), {88, 209, 48}, {255, 132, 10}, {10, 214, 255}};
  return colours[index % colours.size()];
}

void draw_number(cv::Mat& image, cv::Point at, std::size_t index) {
  constexpr int kRadius = 17 * kOversampling;
  cv::circle(image, at, kRadius + 2 * kOversampling, cv::Scalar::all(255), -1, cv::LINE_AA);
  cv::circle(image, at, kRadius, colour(index), -1, cv::LINE_AA);
  const std::string text = std::to_string(index + 1);
  const double height = 0.75 * kOversampling;
  const int thickness = 2 * kOversampling;
  int baseline = 0;
  const cv::Size size =
      cv::getTextSize(text, cv::FONT_HERSHEY_SIMPLEX, height, thickness, &baseline);
  cv::putText(image, text, at + cv::Point(-size.width / 2, size.height / 2),
              cv::FONT_HERSHEY_SIMPLEX, height, cv::Scalar::all(255), thickness, cv::LINE_AA);
}

void draw_outline(cv::Mat& image, const Quad& quad, std::size_t index) {
  std::vector<cv::Point> corners;
  for (const Point& corner : quad) {
    corners.emplace_back(cvRound(corner.x * kOversampling), cvRound(corner.y * kOversampling));
  }
  const std::vector<std::vector<cv::Point>> outline = {corners};
  cv::polylines(image, outline, true, cv::Scalar::all(255), 7 * kOversampling, cv::LINE_AA);
  cv::polylines(image, outline, true, colour(index), 4 * kOversampling, cv::LINE_AA);
  draw_number(image, corners.front(), index);
}

cv::Mat enlarged(const cv::Mat& image, cv::Size size) {
  cv::Mat result;
  cv::resize(image, result, size * kOversampling, 0, 0, cv::INTER_LINEAR);
  return result;
}

}  // namespace

cv::Mat draw_result(const cv::Mat& photo, std::span<const Outlined> found) {
  cv::Mat large = enlarged(photo, photo.size());
  for (std::size_t i = found.size(); i-- > 0;) draw_outline(large, found[i].quad, i);
  const int count = std::max(1, static_cast<int>(found.size()));
  const int cell_height = (photo.rows - (count - 1) * kGapPx) / count;
  int cell_width = 0;
  for (const Outlined& each : found) {
    cell_width = std::max(cell_width, each.picture.cols * cell_height / each.picture.rows);
  }
  cv::Mat canvas(photo.rows, photo.cols + (found.empty() ? 0 : kGapPx + cell_width), CV_8UC3,
                 cv::Scalar::all(255));
  canvas = enlarged(canvas, canvas.size());
  large.copyTo(canvas(cv::Rect({0, 0}, large.size())));
  for (std::size_t i = 0; i < found.size(); ++i) {
    const cv::Size size(found[i].picture.cols * cell_height / found[i].picture.rows, cell_height);
    const cv::Point at(photo.cols + kGapPx, static_cast<int>(i) * (cell_height + kGapPx));
    enlarged(found[i].picture, size)
        .copyTo(canvas(cv::Rect(at * kOversampling, size * kOversampling)));
    draw_number(canvas, (at + cv::Point(26, 26)) * kOversampling, i);
  }
  cv::Mat result;
  cv::resize(canvas, result, canvas.size() / kOversampling, 0, 0, cv::INTER_AREA);
  return result;
}

}  // namespace lookalike
