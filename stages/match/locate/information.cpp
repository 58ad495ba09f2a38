#include "stages/match/locate/information.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <opencv2/core.hpp>

#include "base/error.h"
#include "base/image.h"
#include "kernels/pose_search/pose_search.h"

namespace lookalike {
namespace {

constexpr int kCoarsestPx = 8;        // the shorter side from which on a band is the last one
constexpr double kLeastRest = 1e-12;  // of 1 - r^2, which doubles can tell from 0

// The object and the scene under it, at one level.
struct Pair {
  WeightedImage object;
  WeightedImage scene;
};

Pair under(const PoseObject& object, const ImageView& scene, const Homography& object_to_scene) {
  const auto pixel = [&](int x, int y) { return static_cast<double>(scene.at(x, y)) - 128; };
  Pair pair{{object.pixels, {}, object.width, object.height},
            {{}, {}, object.width, object.height}};
  for (int y = 0; y < object.height; ++y) {
    for (int x = 0; x < object.width; ++x) {
      const Point at = object_to_scene.apply({static_cast<double>(x), static_cast<double>(y)});
      const bool inside = at.x > -kPoseRimPx && at.y > -kPoseRimPx &&
                          at.x < scene.width - 1 + kPoseRimPx &&
                          at.y < scene.height - 1 + kPoseRimPx;
      const bool counts = inside && object.mask[pair.object.index(x, y)] != 0;
      pair.object.weights.push_back(counts ? 1.0F : 0.0F);
      pair.scene.values.push_back(
          counts ? static_cast<float>(bilinear(pixel, scene.width, scene.height, at.x, at.y))
                 : 0.0F);
    }
  }
  pair.scene.weights = pair.object.weights;
  return pair;
}

// A level less its smoothed copy, of mean 0, and 0 where it does not count; the last level is not
// smoothed.
std::vector<double> details(const WeightedImage& level, bool last) {
  const WeightedImage smooth = last ? WeightedImage{} : smoothed(level);
  std::vector<double> band(level.values.size());
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < band.size(); ++i) {
    if (level.weights[i] < kMinWeight) continue;
    band[i] = double{level.values[i]} - (last ? 0.0 : double{smooth.values[i]});
    sum += band[i];
    ++count;
  }
  for (std::size_t i = 0; i < band.size(); ++i) {
    if (level.weights[i] >= kMinWeight) band[i] -= sum / count;
  }
  return band;
}

double band_information(const Pair& level, bool last, bool reversed) {
  const std::vector<double> object = details(level.object, last);
  const std::vector<double> scene = details(level.scene, last);
  double objects = 0, scenes = 0, both = 0, sizes = 0, squares = 0;
  for (std::size_t i = 0; i < object.size(); ++i) {
    const double product = object[i] * scene[i];
    objects += object[i] * object[i];
    scenes += scene[i] * scene[i];
    both += product;
    sizes += std::abs(product);
    squares += product * product;
  }
  if (!(squares > 0)) return 0;
  const double correlation = (reversed ? -both : both) / std::sqrt(objects * scenes);
  if (!(correlation > 0)) return 0;
  const double going_together =
      autocorrelation_product(object, scene, level.object.width, level.object.height) /
      (objects * scenes);
  const double places = sizes * sizes / squares / std::max(1.0, going_together);
  return -places / 2 * std::log(std::max(kLeastRest, 1 - correlation * correlation));
}

// Of twice the size, so that no shift comes round to the other side.
cv::Mat power_spectrum(std::span<const double> image, int width, int height) {
  cv::Mat padded =
      cv::Mat::zeros(cv::getOptimalDFTSize(2 * height), cv::getOptimalDFTSize(2 * width), CV_64F);
  cv::Mat(height, width, CV_64F, const_cast<double*>(image.data()))
      .copyTo(padded(cv::Rect(0, 0, width, height)));
  cv::Mat spectrum;
  cv::dft(padded, spectrum, cv::DFT_COMPLEX_OUTPUT, height);
  std::array<cv::Mat, 2> parts;
  cv::split(spectrum, parts.data());
  return parts[0].mul(parts[0]) + parts[1].mul(parts[1]);
}

}  // namespace

double autocorrelation_product(std::span<const double> a, std::span<const double> b, int width,
                               int height) {
  require(width >= 1 && height >= 1, "autocorrelation_product: an image has no pixels");
  const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  require(a.size() == pixels && b.size() == pixels,
          "autocorrelation_product: an image is not [height][width]");
  const cv::Mat power = power_spectrum(a, width, height);
  return power.dot(power_spectrum(b, width, height)) / static_cast<double>(power.total());
}

double information(const SearchObject& object, const ImageView& scene,
                   const Homography& object_to_scene, bool reversed, double enough) {
  std::vector<Pair> levels = {under(object.level(0), scene, object_to_scene)};
  while (std::min(levels.back().object.width, levels.back().object.height) >= kCoarsestPx) {
    const Pair& fine = levels.back();
    levels.push_back({halved(fine.object), halved(fine.scene)});
  }
  double sum = 0;
  for (std::size_t i = levels.size(); i-- > 0 && sum < enough;) {
    sum += band_information(levels[i], i + 1 == levels.size(), reversed);
  }
  return sum;
}

}  // namespace lookalike
