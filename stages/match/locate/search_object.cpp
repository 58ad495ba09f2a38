#include "stages/match/locate/search_object.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <fmt/format.h>
#include <opencv2/core.hpp>

#include "base/artefacts.h"
#include "base/error.h"
#include "base/image.h"
#include "kernels/pose_search/pose_search.h"

namespace lookalike {
namespace {

constexpr float kMinWeight = 0.75F;     // for a pixel to count on a coarser level
constexpr double kMinPoints = 64;       // on the coarsest level
constexpr double kMinLevelSidePx = 4;   // shorter side there
constexpr double kMinContrast = 0.35;   // there, relative to full size
constexpr int kMinRimmedPx = 24;        // shorter side of an object that can spare its rim
constexpr std::size_t kMaxTaps = 4096;  // points of a template

// An image whose pixels have weights, [0, 1]: [height][width].
struct WeightedImage {
  std::vector<float> values;
  std::vector<float> weights;
  int width = 0;
  int height = 0;

  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
           static_cast<std::size_t>(x);
  }
};

// True if a pixel counts. A pixel at the rim of the mask, or of an object that can spare it, does
// not: in a scene it blends with the background.
bool counts(const ImageView& object, const ImageView& mask, int x, int y) {
  const bool at_rim = x == 0 || y == 0 || x == object.width - 1 || y == object.height - 1;
  if (at_rim && std::min(object.width, object.height) >= kMinRimmedPx) return false;
  if (mask.empty()) return true;
  for (int row = std::max(0, y - 1); row <= std::min(mask.height - 1, y + 1); ++row) {
    for (int column = std::max(0, x - 1); column <= std::min(mask.width - 1, x + 1); ++column) {
      if (!is_opaque(mask.at(column, row))) return false;
    }
  }
  return true;
}

WeightedImage first_level(const ImageView& object, const ImageView& mask) {
  WeightedImage level{.values = {}, .weights = {}, .width = object.width, .height = object.height};
  for (int y = 0; y < object.height; ++y) {
    for (int x = 0; x < object.width; ++x) {
      level.values.push_back(static_cast<float>(object.at(x, y)) - 128.0F);
      level.weights.push_back(counts(object, mask, x, y) ? 1.0F : 0.0F);
    }
  }
  return level;
}

constexpr std::array kTaps = {0.0625F, 0.25F, 0.375F, 0.25F, 0.0625F};

// Returns the weighted mean around every `step`-th pixel; its weight is the share of the taps that
// counted.
WeightedImage filtered(const WeightedImage& from, int step) {
  WeightedImage rows{
      .values = {}, .weights = {}, .width = (from.width + step - 1) / step, .height = from.height};
  for (int y = 0; y < rows.height; ++y) {
    for (int x = 0; x < rows.width; ++x) {
      float value = 0;
      float weight = 0;
      for (int i = 0; i < 5; ++i) {
        const int column = step * x + i - 2;
        if (column < 0 || column >= from.width) continue;
        const std::size_t at = from.index(column, y);
        const float tap = kTaps[static_cast<std::size_t>(i)] * from.weights[at];
        value += tap * from.values[at];
        weight += tap;
      }
      rows.values.push_back(value);
      rows.weights.push_back(weight);
    }
  }
  WeightedImage to{
      .values = {}, .weights = {}, .width = rows.width, .height = (from.height + step - 1) / step};
  for (int y = 0; y < to.height; ++y) {
    for (int x = 0; x < to.width; ++x) {
      float value = 0;
      float weight = 0;
      for (int i = 0; i < 5; ++i) {
        const int row = step * y + i - 2;
        if (row < 0 || row >= from.height) continue;
        const std::size_t at = rows.index(x, row);
        value += kTaps[static_cast<std::size_t>(i)] * rows.values[at];
        weight += kTaps[static_cast<std::size_t>(i)] * rows.weights[at];
      }
      to.values.push_back(weight > 0 ? value / weight : 0);
      to.weights.push_back(weight);
    }
  }
  return to;
}

// Smooths by [1 4 6 4 1] / 16 along both axes, and keeps the weights.
WeightedImage smoothed(const WeightedImage& from) {
  WeightedImage to = filtered(from, 1);
  to.weights = from.weights;
  return to;
}

// Smooths and keeps every second pixel, so that pixel (x, y) lies at (2 x, 2 y); the weights are
// the shares that counted.
WeightedImage half_of(const WeightedImage& from) {
  return filtered(from, 2);
}

constexpr int kCoarsestPx = 8;      // a band with a shorter side below this is the last one
constexpr double kMinRest = 1e-12;  // minimum of 1 - r^2 that doubles distinguish from 0

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

// Returns a level minus its smoothed copy, with mean 0, and 0 where it does not count. The last
// level is not smoothed.
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
  return -places / 2 * std::log(std::max(kMinRest, 1 - correlation * correlation));
}

// Pads to twice the size, so that no shift wraps around.
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

SearchObject::SearchObject(const ImageView& object, const ImageView& mask) {
  require(mask.empty() || (mask.width == object.width && mask.height == object.height),
          "SearchObject: the mask differs in size from the object");
  WeightedImage level = first_level(object, mask);
  const Point centre = {(object.width - 1) / 2.0, (object.height - 1) / 2.0};
  for (int index = 0; !level.values.empty(); ++index) {
    PoseObject next;
    next.width = level.width;
    next.height = level.height;
    next.centre = {centre.x / (1 << index), centre.y / (1 << index)};
    next.pixels = level.values;
    add_level(level.weights, std::move(next));
    const bool small = static_cast<double>(levels_.back().points.size()) < kMinPoints;
    if (small || std::min(level.width, level.height) < 2 * kMinLevelSidePx) break;
    level = half_of(level);
  }
  if (levels_.front().points.empty()) {
    problem_ = "the mask leaves nothing of the object";
  } else if (contrast_.front() == 0) {
    problem_ = fmt::format("the object is flat: all of its {} pixels{} are alike",
                           levels_.front().points.size(), mask.empty() ? "" : " under the mask");
  }
}

void SearchObject::add_level(const std::vector<float>& shares, PoseObject level) {
  double sum = 0;
  double square = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const bool inside = shares[i] >= kMinWeight;
    level.mask.push_back(inside ? 255 : 0);
    if (!inside) continue;
    const auto width = static_cast<std::size_t>(level.width);
    const std::size_t row = i / width;
    const Point point = {static_cast<double>(i - row * width) - level.centre.x,
                         static_cast<double>(row) - level.centre.y};
    level.points.push_back(point);
    if (levels_.empty()) rim_px_ = std::max(rim_px_, std::hypot(point.x, point.y));
    sum += level.pixels[i];
  }
  const auto count = std::max(1.0, static_cast<double>(level.points.size()));
  const auto mean = static_cast<float>(sum / count);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    level.pixels[i] = shares[i] > 0 ? level.pixels[i] - mean : 0.0F;
    if (level.mask[i] != 0) square += double{level.pixels[i]} * level.pixels[i];
  }
  contrast_.push_back(std::sqrt(square / count));
  levels_.push_back(std::move(level));
}

int SearchObject::coarsest(double min_scale) const {
  const double scale = std::min(1.0, min_scale);
  int index = 0;
  while (static_cast<std::size_t>(index) + 1 < levels_.size()) {
    const auto next = static_cast<std::size_t>(index) + 1;
    const PoseObject& level = levels_[next];
    const bool large = static_cast<double>(level.points.size()) * scale * scale >= kMinPoints &&
                       std::min(level.width, level.height) * scale >= kMinLevelSidePx;
    if (!large || contrast_[next] < kMinContrast * contrast_.front()) break;
    ++index;
  }
  return index;
}

int SearchObject::finest_tried(int coarsest) const {
  int index = 0;
  while (index < coarsest && level(index).points.size() > kMaxTaps) ++index;
  return index;
}

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
    levels.push_back({half_of(fine.object), half_of(fine.scene)});
  }
  double sum = 0;
  for (std::size_t i = levels.size(); i-- > 0 && sum < enough;) {
    sum += band_information(levels[i], i + 1 == levels.size(), reversed);
  }
  return sum;
}

}  // namespace lookalike
