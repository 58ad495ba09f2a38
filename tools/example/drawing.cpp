#include "tools/example/drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <opencv2/imgproc.hpp>

#include "base/random.h"

namespace lookalike {
namespace {

// Pictures are drawn this much larger and then reduced, for smooth edges.
constexpr int kOversampling = 2;
constexpr std::array<const char*, 24> kWords = {
    "ORCHARD", "harbour", "Monday", "COPPER", "lantern", "Willow",  "TUNNEL", "saffron",
    "Kestrel", "GRANITE", "velvet", "Meadow", "SIGNAL",  "juniper", "Anchor", "PRISM",
    "thistle", "Cinder",  "BAZAAR", "quartz", "Heron",   "TEMPO",   "nutmeg", "Fjord"};

cv::Scalar random_colour(Random& random) {
  return {random.between(0, 255), random.between(0, 255), random.between(0, 255)};
}

cv::Point random_point(Random& random, cv::Size size) {
  return {random.below(size.width), random.below(size.height)};
}

void draw_shape(cv::Mat& image, Random& random) {
  const cv::Point at = random_point(random, image.size());
  const int radius = static_cast<int>(random.between(0.03, 0.16) * image.cols);
  const int thickness = random.uniform() < 0.6 ? -1 : std::max(2, radius / 6);
  const cv::Scalar colour = random_colour(random);
  switch (random.below(4)) {
    case 0:
      cv::circle(image, at, radius, colour, thickness, cv::LINE_AA);
      break;
    case 1:
      cv::ellipse(image, at, {radius, radius / 2}, random.between(0, 180), 0,
                  random.between(120, 360), colour, thickness, cv::LINE_AA);
      break;
    case 2: {
      std::vector<cv::Point> corners(static_cast<std::size_t>(3 + random.below(4)));
      for (cv::Point& corner : corners) {
        corner = at + cv::Point(static_cast<int>(random.between(-radius, radius)),
                                static_cast<int>(random.between(-radius, radius)));
      }
      cv::fillPoly(image, std::vector{corners}, colour, cv::LINE_AA);
      break;
    }
    default:
      for (int stripe = 0; stripe < 5; ++stripe) {
        const cv::Point shift(0, stripe * std::max(4, radius / 4));
        cv::line(image, at + shift, at + shift + cv::Point(radius, radius / 3), colour,
                 std::max(2, radius / 12), cv::LINE_AA);
      }
  }
}

void draw_word(cv::Mat& image, Random& random) {
  constexpr std::array<int, 4> kFonts = {cv::FONT_HERSHEY_DUPLEX, cv::FONT_HERSHEY_TRIPLEX,
                                         cv::FONT_HERSHEY_COMPLEX, cv::FONT_HERSHEY_SCRIPT_COMPLEX};
  const double height = random.between(0.0016, 0.0042) * image.cols;
  const cv::Point at(static_cast<int>(random.between(0, 0.5) * image.cols),
                     static_cast<int>(random.between(0.1, 1) * image.rows));
  const char* word = kWords[static_cast<std::size_t>(random.below(kWords.size()))];
  const int font = kFonts[static_cast<std::size_t>(random.below(kFonts.size()))];
  const cv::Scalar colour = random_colour(random);
  const int thickness = std::max(2, static_cast<int>(height * 1.6));
  cv::putText(image, word, at, font, height, cv::Scalar::all(20), thickness + 6, cv::LINE_AA);
  cv::putText(image, word, at, font, height, colour, thickness, cv::LINE_AA);
}

// Noise around 128, summed over octaves.
cv::Mat cloudy(Random& random, cv::Size size, double strength, int octaves) {
  cv::Mat sum(size, CV_32FC3, cv::Scalar::all(128));
  for (int octave = 0; octave < octaves; ++octave) {
    const int step = 1 << (octave + 2);
    cv::Mat coarse(size.height / step + 2, size.width / step + 2, CV_32FC3);
    for (auto pixel = coarse.begin<cv::Vec3f>(); pixel != coarse.end<cv::Vec3f>(); ++pixel) {
      const double grey = random.between(-1, 1);
      for (int channel = 0; channel < 3; ++channel) {
        (*pixel)[channel] = static_cast<float>(strength * (grey + random.between(-0.4, 0.4)));
      }
    }
    cv::Mat smooth;
    cv::resize(coarse, smooth, size, 0, 0, cv::INTER_CUBIC);
    sum += smooth;
  }
  return sum;
}

cv::Mat reduced(const cv::Mat& image, cv::Size size) {
  cv::Mat result;
  cv::resize(image, result, size, 0, 0, cv::INTER_AREA);
  return result;
}

// Maps the pixel centres of a picture to those of a quad in an oversampled scene.
cv::Mat map_to_quad(cv::Size picture, const Quad& quad) {
  const auto w = static_cast<float>(picture.width);
  const auto h = static_cast<float>(picture.height);
  // Corners lie half a pixel outside the centres of the corner pixels.
  const std::array<cv::Point2f, 4> from = {
      cv::Point2f(-0.5F, -0.5F), {w - 0.5F, -0.5F}, {w - 0.5F, h - 0.5F}, {-0.5F, h - 0.5F}};
  std::array<cv::Point2f, 4> to;
  for (std::size_t i = 0; i < 4; ++i) {
    to[i] = cv::Point2f(static_cast<float>(quad[i].x * kOversampling - 0.5),
                        static_cast<float>(quad[i].y * kOversampling - 0.5));
  }
  return cv::getPerspectiveTransform(from.data(), to.data());
}

void paste(cv::Mat& scene, const Placement& placement) {
  const cv::Mat map = map_to_quad(placement.picture.size(), placement.quad);
  cv::Mat warped;
  cv::Mat mask;
  cv::warpPerspective(placement.picture, warped, map, scene.size(), cv::INTER_LINEAR,
                      cv::BORDER_REPLICATE);
  cv::warpPerspective(cv::Mat(placement.picture.size(), CV_8U, cv::Scalar(255)), mask, map,
                      scene.size(), cv::INTER_LINEAR);
  warped.copyTo(scene, mask);
}

// Light that falls off towards one corner, and sensor noise.
void shade(cv::Mat& scene, Random& random) {
  for (int y = 0; y < scene.rows; ++y) {
    for (int x = 0; x < scene.cols; ++x) {
      const double light = 1.08 - 0.3 * x / scene.cols - 0.15 * y / scene.rows;
      for (int channel = 0; channel < 3; ++channel) {
        std::uint8_t& value = scene.at<cv::Vec3b>(y, x)[channel];
        value = cv::saturate_cast<std::uint8_t>(value * light + random.between(-7, 7));
      }
    }
  }
}

// draw_result().
constexpr int kResultOversampling = 3;
constexpr int kGapPx = 16;

const cv::Scalar& colour(std::size_t index) {
  static const std::array<cv::Scalar, 4> colours = {
      cv::Scalar(58, 69, 255), {88, 209, 48}, {255, 132, 10}, {10, 214, 255}};
  return colours[index % colours.size()];
}

void draw_number(cv::Mat& image, cv::Point at, std::size_t index) {
  constexpr int kRadius = 17 * kResultOversampling;
  cv::circle(image, at, kRadius + 2 * kResultOversampling, cv::Scalar::all(255), -1, cv::LINE_AA);
  cv::circle(image, at, kRadius, colour(index), -1, cv::LINE_AA);
  const std::string text = std::to_string(index + 1);
  const double height = 0.75 * kResultOversampling;
  const int thickness = 2 * kResultOversampling;
  int baseline = 0;
  const cv::Size size =
      cv::getTextSize(text, cv::FONT_HERSHEY_SIMPLEX, height, thickness, &baseline);
  cv::putText(image, text, at + cv::Point(-size.width / 2, size.height / 2),
              cv::FONT_HERSHEY_SIMPLEX, height, cv::Scalar::all(255), thickness, cv::LINE_AA);
}

void draw_outline(cv::Mat& image, const Quad& quad, std::size_t index) {
  std::vector<cv::Point> corners;
  for (const Point& corner : quad) {
    corners.emplace_back(cvRound(corner.x * kResultOversampling),
                         cvRound(corner.y * kResultOversampling));
  }
  const std::vector<std::vector<cv::Point>> outline = {corners};
  cv::polylines(image, outline, true, cv::Scalar::all(255), 7 * kResultOversampling, cv::LINE_AA);
  cv::polylines(image, outline, true, colour(index), 4 * kResultOversampling, cv::LINE_AA);
  draw_number(image, corners.front(), index);
}

}  // namespace

cv::Mat draw_poster(std::uint64_t seed, cv::Size size) {
  Random random(seed);
  cv::Mat image(size * kOversampling, CV_8UC3, random_colour(random));
  const cv::Scalar lower = random_colour(random);
  const cv::Scalar upper = random_colour(random);
  for (int y = 0; y < image.rows; ++y) {
    const double share = static_cast<double>(y) / image.rows;
    image.row(y).setTo(upper * (1 - share) + lower * share);
  }
  for (int i = 0; i < 40; ++i) draw_shape(image, random);
  for (int i = 0; i < 9; ++i) draw_word(image, random);
  return reduced(image, size);
}

cv::Mat draw_scene(std::span<const Placement> placements, cv::Size size, std::uint64_t seed) {
  Random random(seed);
  cv::Mat scene;
  cv::Mat wall = cloudy(random, size * kOversampling, 9, 6);
  wall += cv::Scalar(28, 40, 52);
  wall.convertTo(scene, CV_8UC3);
  for (const Placement& placement : placements) paste(scene, placement);
  cv::Mat result = reduced(scene, size);
  shade(result, random);
  return result;
}

cv::Mat turned_crop(const cv::Mat& image, double angle_degrees, double scale) {
  // OpenCV's angles are anticlockwise.
  const cv::Point2f middle(static_cast<float>(image.cols - 1) / 2,
                           static_cast<float>(image.rows - 1) / 2);
  cv::Mat map = cv::getRotationMatrix2D(middle, -angle_degrees, scale);
  // At any rotation, this square lies inside the image's inscribed circle.
  const int side = static_cast<int>(scale * std::min(image.cols, image.rows) / std::sqrt(2.0));
  map.at<double>(0, 2) += static_cast<double>(side - 1) / 2 - static_cast<double>(middle.x);
  map.at<double>(1, 2) += static_cast<double>(side - 1) / 2 - static_cast<double>(middle.y);
  cv::Mat crop;
  cv::warpAffine(image, crop, map, {side, side}, cv::INTER_LINEAR);
  return crop;
}

cv::Mat draw_stranger(std::uint64_t seed, cv::Size size) {
  Random random(seed);
  cv::Mat image;
  cloudy(random, size, 45, 7).convertTo(image, CV_8UC3);
  return image;
}

cv::Mat draw_result(const cv::Mat& photo, std::span<const Outlined> found) {
  const int count = std::max(1, static_cast<int>(found.size()));
  const int cell_height = (photo.rows - (count - 1) * kGapPx) / count;
  const auto cell = [&](std::size_t i) {
    const cv::Mat& picture = found[i].picture;
    return cv::Rect(photo.cols + kGapPx, static_cast<int>(i) * (cell_height + kGapPx),
                    picture.cols * cell_height / picture.rows, cell_height);
  };
  int width = photo.cols;
  for (std::size_t i = 0; i < found.size(); ++i) width = std::max(width, cell(i).br().x);
  cv::Mat canvas(photo.rows, width, CV_8UC3, cv::Scalar::all(255));
  const cv::Rect whole({0, 0}, photo.size());
  photo.copyTo(canvas(whole));
  for (std::size_t i = 0; i < found.size(); ++i) {
    reduced(found[i].picture, cell(i).size()).copyTo(canvas(cell(i)));
  }
  const cv::Size size = canvas.size();
  cv::resize(canvas, canvas, size * kResultOversampling, 0, 0, cv::INTER_LINEAR);
  cv::Mat enlarged_photo =
      canvas(cv::Rect(whole.tl(), whole.size() * kResultOversampling));  // outlines may leave it
  for (std::size_t i = found.size(); i-- > 0;) {
    draw_outline(enlarged_photo, found[i].quad, i);
    draw_number(canvas, (cell(i).tl() + cv::Point(26, 26)) * kResultOversampling, i);
  }
  return reduced(canvas, size);
}

}  // namespace lookalike
