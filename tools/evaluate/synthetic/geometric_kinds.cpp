#include <algorithm>
#include <cmath>
#include <limits>

#include <opencv2/imgproc.hpp>

#include "base/geometry.h"
#include "stages/match/match.h"
#include "tools/evaluate/synthetic/variant.h"

namespace lookalike {
namespace {

constexpr double kDegree = 3.14159265358979323846 / 180;
// What a photo is seen against when it does not fill the picture.
const cv::Scalar kBackground = cv::Scalar::all(128);

bool by_chance(Random& random) {
  return random.uniform() < 0.5;
}

// All of the photo under a map, in the smallest picture that holds it.
Variant warped(const cv::Mat& photo, const Homography& map) {
  double left = std::numeric_limits<double>::infinity();
  double top = left;
  double right = -left;
  double bottom = -left;
  for (const Point& corner : outline(map, photo.cols, photo.rows)) {
    left = std::min(left, corner.x);
    top = std::min(top, corner.y);
    right = std::max(right, corner.x);
    bottom = std::max(bottom, corner.y);
  }
  // A right angle's cosine is not quite 0; that must not make the picture a pixel larger.
  constexpr double kRounding = 1e-6;
  const cv::Size size(static_cast<int>(std::ceil(right - left - kRounding)),
                      static_cast<int>(std::ceil(bottom - top - kRounding)));
  Homography whole = translation(-left, -top) * map;
  cv::Mat picture;
  cv::warpPerspective(photo, picture, cv::Mat(3, 3, CV_64F, whole.h.data()), size, cv::INTER_LINEAR,
                      cv::BORDER_CONSTANT, kBackground);
  return {lossless_file(picture), whole};
}

// A part of the photo's own shape, anywhere in it.
Variant crop(const cv::Mat& photo, double percent, Random& random) {
  const double side = std::sqrt(percent / 100);
  const cv::Size size(std::max(1, static_cast<int>(std::lround(photo.cols * side))),
                      std::max(1, static_cast<int>(std::lround(photo.rows * side))));
  const cv::Point at(random.below(photo.cols - size.width + 1),
                     random.below(photo.rows - size.height + 1));
  return {lossless_file(photo(cv::Rect(at, size)).clone()), translation(-at.x, -at.y)};
}

// To the left or to the right.
Variant turn(const cv::Mat& photo, double degrees, Random& random) {
  const double angle = (by_chance(random) ? degrees : -degrees) * kDegree;
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  const Point centre = middle(photo.cols, photo.rows);
  return warped(photo,
                Homography{{c, -s, 0, s, c, 0, 0, 0, 1}} * translation(-centre.x, -centre.y));
}

Variant scale(const cv::Mat& photo, double factor, Random&) {
  const cv::Size size(std::max(1, static_cast<int>(std::lround(photo.cols * factor))),
                      std::max(1, static_cast<int>(std::lround(photo.rows * factor))));
  cv::Mat picture;
  cv::resize(photo, picture, size, 0, 0, factor < 1 ? cv::INTER_AREA : cv::INTER_CUBIC);
  return {lossless_file(picture), resizing(photo.cols, photo.rows, size.width, size.height)};
}

// Turned about its upright or its level axis, seen from a distance of one and a half times its
// longest side.
Variant perspective(const cv::Mat& photo, double degrees, Random& random) {
  const double distance = 1.5 * std::max(photo.cols, photo.rows);
  const double c = std::cos(degrees * kDegree);
  const double s = std::sin(by_chance(random) ? degrees * kDegree : -degrees * kDegree);
  const Homography seen = by_chance(random)
                              ? Homography{{distance * c, 0, 0, 0, distance, 0, s, 0, distance}}
                              : Homography{{distance, 0, 0, 0, distance * c, 0, 0, s, distance}};
  const Point centre = middle(photo.cols, photo.rows);
  return warped(photo, seen * translation(-centre.x, -centre.y));
}

Variant mirror(const cv::Mat& photo, double, Random&) {
  cv::Mat picture;
  cv::flip(photo, picture, 1);
  return {lossless_file(picture), {{-1, 0, photo.cols - 1.0, 0, 1, 0, 0, 0, 1}}};
}

}  // namespace

std::vector<VariantKind> geometric_kinds() {
  return {{"crop", "% of the area", {90, 75, 50, 35, 25, 15, 10}, crop},
          {"turn", "degrees", {5, 15, 30, 45, 75, 90, 135, 180}, turn},
          {"scale", "times the size", {0.25, 0.35, 0.5, 0.75, 1.5, 2, 4}, scale},
          {"perspective", "degrees", {15, 30, 45, 60}, perspective},
          {"mirror", "axis", {1}, mirror}};
}

}  // namespace lookalike
