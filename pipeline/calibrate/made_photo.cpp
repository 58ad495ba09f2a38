#include "pipeline/calibrate/made_photo.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <opencv2/imgproc.hpp>

#include "base/error.h"
#include "base/geometry.h"
#include "stages/decode/encode.h"

namespace lookalike {
namespace {

std::vector<std::uint8_t> jpeg_file(const cv::Mat& picture, int quality) {
  return encode_image(".jpg", picture, quality);
}

std::vector<std::uint8_t> lossless_file(const cv::Mat& picture) {
  return encode_image(".bmp", picture);
}

constexpr double kDegree = std::numbers::pi / 180;

constexpr double kMaxTurnDegrees = 30;
constexpr double kTilt = 0.12;   // maximum shift of a corner, in sides of the object
constexpr double kShift = 0.25;  // maximum shift of the object, in sides of the photo

cv::Point2f moved(const cv::Point2f& corner, double scale, double turn, const cv::Point2d& to) {
  const double x = scale * corner.x;
  const double y = scale * corner.y;
  return {static_cast<float>(x * std::cos(turn) - y * std::sin(turn) + to.x),
          static_cast<float>(x * std::sin(turn) + y * std::cos(turn) + to.y)};
}

// Returns photo px per object px, such that the object fills 35 to 100 % of the photo.
double random_scale(const cv::Size& object, const cv::Size& photo, Random& random) {
  const double fit = std::min(static_cast<double>(photo.width) / object.width,
                              static_cast<double>(photo.height) / object.height);
  return fit * random.between(0.35, 1);
}

// Returns a map from object pixels to photo pixels.
cv::Mat random_pose(const cv::Size& object, const cv::Size& photo, double scale, Random& random) {
  const double turn = random.between(-kMaxTurnDegrees, kMaxTurnDegrees) * std::numbers::pi / 180;
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

void degrade(cv::Mat& photo, Random& random) {
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

// Colour of pixels that the photo does not cover.
const cv::Scalar kBackground = cv::Scalar::all(128);

bool flip_coin(Random& random) {
  return random.uniform() < 0.5;
}

// Maps the whole photo into the smallest picture that holds it.
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
  // The cosine of a right angle is not exactly 0 and must not enlarge the picture by a pixel.
  constexpr double kRounding = 1e-6;
  const cv::Size size(static_cast<int>(std::ceil(right - left - kRounding)),
                      static_cast<int>(std::ceil(bottom - top - kRounding)));
  Homography whole = translation(-left, -top) * map;
  cv::Mat picture;
  cv::warpPerspective(photo, picture, cv::Mat(3, 3, CV_64F, whole.h.data()), size, cv::INTER_LINEAR,
                      cv::BORDER_CONSTANT, kBackground);
  return {lossless_file(picture), whole};
}

// Cuts out a random part with the photo's aspect ratio.
Variant crop(const cv::Mat& photo, double percent, Random& random) {
  const double side = std::sqrt(percent / 100);
  const cv::Size size(std::max(1, static_cast<int>(std::lround(photo.cols * side))),
                      std::max(1, static_cast<int>(std::lround(photo.rows * side))));
  const cv::Point at(random.below(photo.cols - size.width + 1),
                     random.below(photo.rows - size.height + 1));
  return {lossless_file(photo(cv::Rect(at, size)).clone()), translation(-at.x, -at.y)};
}

// Turns clockwise or anticlockwise.
Variant turn(const cv::Mat& photo, double degrees, Random& random) {
  const double angle = (flip_coin(random) ? degrees : -degrees) * kDegree;
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

// Rotates the photo about its vertical or horizontal axis, seen from a distance of 1.5 times its
// longest side.
Variant perspective(const cv::Mat& photo, double degrees, Random& random) {
  const double distance = 1.5 * std::max(photo.cols, photo.rows);
  const double c = std::cos(degrees * kDegree);
  const double s = std::sin(flip_coin(random) ? degrees * kDegree : -degrees * kDegree);
  const Homography seen = flip_coin(random)
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

Variant jpeg(const cv::Mat& photo, double quality, Random&) {
  return {jpeg_file(photo, static_cast<int>(quality)), {}};
}

// sigma: in px of a photo with a longest side of 1000 px, so that it suits photos of all sizes.
Variant blur(const cv::Mat& photo, double sigma, Random&) {
  cv::Mat picture;
  cv::GaussianBlur(photo, picture, {}, sigma * std::max(photo.cols, photo.rows) / 1000);
  return {lossless_file(picture), {}};
}

// Adds the same noise to all channels, so that it does not average out in grey.
Variant noise(const cv::Mat& photo, double sigma, Random& random) {
  cv::Mat grey(photo.size(), CV_16S);
  cv::RNG generator(random.bits());
  generator.fill(grey, cv::RNG::NORMAL, 0, sigma);
  cv::Mat colours;
  cv::merge(std::vector<cv::Mat>(3, grey), colours);
  cv::Mat picture;
  cv::add(photo, colours, picture, cv::noArray(), CV_8UC3);
  return {lossless_file(picture), {}};
}

Variant brightness(const cv::Mat& photo, double levels, Random&) {
  cv::Mat picture;
  photo.convertTo(picture, -1, 1, levels);
  return {lossless_file(picture), {}};
}

// Scales about the middle grey.
Variant contrast(const cv::Mat& photo, double factor, Random&) {
  constexpr double kMiddle = 128;
  cv::Mat picture;
  photo.convertTo(picture, -1, factor, kMiddle * (1 - factor));
  return {lossless_file(picture), {}};
}

std::string random_word(Random& random) {
  std::string word;
  const int length = 4 + random.below(6);
  for (int i = 0; i < length; ++i) word += static_cast<char>('A' + random.below(26));
  return word;
}

// Writes an outlined word at a random place, an eighth of the picture's shorter side high.
void write_word(cv::Mat& picture, Random& random) {
  constexpr int kFont = cv::FONT_HERSHEY_DUPLEX;
  constexpr double kUnitHeightPx = 22;  // the font's capitals at size 1
  const double size = std::min(picture.cols, picture.rows) / 8.0 / kUnitHeightPx;
  const int thickness = std::max(1, static_cast<int>(std::lround(2 * size)));
  const std::string word = random_word(random);
  const cv::Point at(static_cast<int>(random.between(-0.1, 0.7) * picture.cols),
                     static_cast<int>(random.between(0.1, 1) * picture.rows));
  const double ink = random.uniform() < 0.5 ? 0 : 255;
  cv::putText(picture, word, at, kFont, size, cv::Scalar::all(255 - ink), 3 * thickness,
              cv::LINE_AA);
  cv::putText(picture, word, at, kFont, size, cv::Scalar::all(ink), thickness, cv::LINE_AA);
}

Variant text(const cv::Mat& photo, double words, Random& random) {
  cv::Mat picture = photo.clone();
  for (int i = 0; i < static_cast<int>(words); ++i) write_word(picture, random);
  return {lossless_file(picture), {}};
}

}  // namespace

cv::Mat make_photo(const cv::Mat& object, const cv::Mat& background, Random& random) {
  cv::Mat photo = background.clone();
  const double scale = random_scale(object.size(), photo.size(), random);
  // Reduce a shrinking object first: unlike a camera, warping does not average.
  const double reduction = std::min(1.0, scale);
  const auto reduced = [&](int side_px) {
    return std::max(1, static_cast<int>(std::lround(side_px * reduction)));
  };
  cv::Mat front;
  cv::resize(object, front, {reduced(object.cols), reduced(object.rows)}, 0, 0, cv::INTER_AREA);
  const cv::Mat pose = random_pose(front.size(), photo.size(), scale / reduction, random);
  cv::warpPerspective(front, photo, pose, photo.size(), cv::INTER_LINEAR, cv::BORDER_TRANSPARENT);
  degrade(photo, random);
  return photo;
}

std::vector<std::uint8_t> compressed(const cv::Mat& photo, Random& random) {
  return jpeg_file(photo, static_cast<int>(random.between(30, 95)));
}

std::vector<VariantKind> variant_kinds() {
  return {{"crop", "% of the area", {90, 75, 50, 35, 25, 15, 10}, crop},
          {"turn", "degrees", {5, 15, 30, 45, 75, 90, 135, 180}, turn},
          {"scale", "times the size", {0.25, 0.35, 0.5, 0.75, 1.5, 2, 4}, scale},
          {"perspective", "degrees", {15, 30, 45, 60}, perspective},
          {"mirror", "axis", {1}, mirror},
          {"jpeg", "quality", {90, 70, 50, 30, 20, 10}, jpeg},
          {"blur", "px of 1000", {1, 2, 4, 8}, blur},
          {"noise", "grey levels", {5, 10, 20, 40}, noise},
          {"brightness", "grey levels", {-96, -64, -32, 32, 64, 96}, brightness},
          {"contrast", "times", {0.25, 0.5, 0.75, 1.5, 2}, contrast},
          {"text", "words", {1, 2, 5, 10}, text}};
}

}  // namespace lookalike
