#include "pipeline/calibrate/made_photo.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

namespace lookalike {
namespace {

constexpr double kMostTurnDegrees = 30;
constexpr double kTilt = 0.12;   // how far a corner moves, in sides of the object
constexpr double kShift = 0.25;  // how far the object is off the middle, in sides of the photo

cv::Point2f moved(const cv::Point2f& corner, double scale, double turn, const cv::Point2d& to) {
  const double x = scale * corner.x;
  const double y = scale * corner.y;
  return {static_cast<float>(x * std::cos(turn) - y * std::sin(turn) + to.x),
          static_cast<float>(x * std::sin(turn) + y * std::cos(turn) + to.y)};
}

// Photo px per object px: the object fills 35 to 100 % of what there is.
double random_scale(const cv::Size& object, const cv::Size& photo, Random& random) {
  const double fit = std::min(static_cast<double>(photo.width) / object.width,
                              static_cast<double>(photo.height) / object.height);
  return fit * random.between(0.35, 1);
}

// Object pixels to photo pixels.
cv::Mat random_pose(const cv::Size& object, const cv::Size& photo, double scale, Random& random) {
  const double turn = random.between(-kMostTurnDegrees, kMostTurnDegrees) * std::numbers::pi / 180;
  const cv::Point2d middle(photo.width * (0.5 + random.between(-kShift, kShift)),
                           photo.height * (0.5 + random.between(-kShift, kShift)));
  const auto width = static_cast<float>(object.width);
  const auto height = static_cast<float>(object.height);
  const std::array<cv::Point2f, 4> from = {
      cv::Point2f{0, 0}, {width, 0}, {width, height}, {0, height}};
  std::array<cv::Point2f, 4> to;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const cv::Point2f tilt(static_cast<float>(random.between(-kTilt, kTilt)) * width,
                           static_cast<float>(random.between(-kTilt, kTilt)) * height);
    to[i] = moved(from[i] - cv::Point2f(width, height) / 2 + tilt, scale, turn, middle);
  }
  return cv::getPerspectiveTransform(from, to);
}

void spoil(cv::Mat& photo, Random& random) {
  const double sigma_px = random.between(0, 1.5);
  if (sigma_px > 0.3) cv::GaussianBlur(photo, photo, {}, sigma_px);
  const double contrast = random.between(0.6, 1.3);
  const double light = random.between(-30, 30);
  const double noise = random.between(0, 8);
  for (int y = 0; y < photo.rows; ++y) {
    auto* row = photo.ptr<std::uint8_t>(y);
    for (int x = 0; x < photo.cols; ++x) {
      row[x] = cv::saturate_cast<std::uint8_t>(128 + contrast * (row[x] - 128) + light +
                                               noise * random.normal());
    }
  }
}

}  // namespace

cv::Mat make_photo(const cv::Mat& object, const cv::Mat& background, Random& random) {
  cv::Mat photo = background.clone();
  const double scale = random_scale(object.size(), photo.size(), random);
  // Warping does not average, as a camera does: what is to become smaller is reduced before.
  const double reduction = std::min(1.0, scale);
  const auto reduced = [&](int side_px) {
    return std::max(1, static_cast<int>(std::lround(side_px * reduction)));
  };
  cv::Mat front;
  cv::resize(object, front, {reduced(object.cols), reduced(object.rows)}, 0, 0, cv::INTER_AREA);
  const cv::Mat pose = random_pose(front.size(), photo.size(), scale / reduction, random);
  cv::warpPerspective(front, photo, pose, photo.size(), cv::INTER_LINEAR, cv::BORDER_TRANSPARENT);
  spoil(photo, random);
  return photo;
}

std::vector<std::uint8_t> compressed(const cv::Mat& photo, Random& random) {
  std::vector<std::uint8_t> bytes;
  cv::imencode(".jpg", photo, bytes,
               {cv::IMWRITE_JPEG_QUALITY, static_cast<int>(random.between(30, 95))});
  return bytes;
}

}  // namespace lookalike
