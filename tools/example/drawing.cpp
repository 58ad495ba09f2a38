#include "tools/example/drawing.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <opencv2/imgproc.hpp>

#include "base/random.h"

namespace lookalike {
namespace {

// Everything is drawn so much larger and then reduced, for smooth edges.
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

// Noise summed over sizes that double, around 128.
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

// The map of a picture's pixel centres to a quad's, both counted in pixels of their own image.
cv::Mat map_to_quad(cv::Size picture, const Quad& quad, int oversampling) {
  const auto w = static_cast<float>(picture.width);
  const auto h = static_cast<float>(picture.height);
  // Outer corners lie half a pixel outside of the corner pixels' centres.
  const std::array<cv::Point2f, 4> from = {
      cv::Point2f(-0.5F, -0.5F), {w - 0.5F, -0.5F}, {w - 0.5F, h - 0.5F}, {-0.5F, h - 0.5F}};
  std::array<cv::Point2f, 4> to;
  for (std::size_t i = 0; i < 4; ++i) {
    to[i] = cv::Point2f(static_cast<float>(quad[i].x * oversampling - 0.5),
                        static_cast<float>(quad[i].y * oversampling - 0.5));
  }
  return cv::getPerspectiveTransform(from.data(), to.data());
}

void paste(cv::Mat& scene, const Placement& placement, int oversampling) {
  const cv::Mat map = map_to_quad(placement.picture.size(), placement.quad, oversampling);
  cv::Mat warped;
  cv::Mat mask;
  cv::warpPerspective(placement.picture, warped, map, scene.size(), cv::INTER_LINEAR,
                      cv::BORDER_REPLICATE);
  cv::warpPerspective(cv::Mat(placement.picture.size(), CV_8U, cv::Scalar(255)), mask, map,
                      scene.size(), cv::INTER_LINEAR);
  warped.copyTo(scene, mask);
}

// Light that falls off towards one corner, and the noise of a sensor.
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
  for (const Placement& placement : placements) paste(scene, placement, kOversampling);
  cv::Mat result = reduced(scene, size);
  shade(result, random);
  return result;
}

cv::Mat turned_crop(const cv::Mat& image, double angle_degrees, double scale) {
  // OpenCV counts turns counter-clockwise.
  const cv::Point2f middle(static_cast<float>(image.cols - 1) / 2,
                           static_cast<float>(image.rows - 1) / 2);
  cv::Mat map = cv::getRotationMatrix2D(middle, -angle_degrees, scale);
  // A square in the middle, whatever its turn, lies inside of the image's inscribed circle.
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

}  // namespace lookalike
