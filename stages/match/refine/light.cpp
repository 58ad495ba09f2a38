#include "stages/match/refine/light.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/quantile.h"

namespace lookalike {
namespace {

constexpr int kMostSteps = 8;    // of reweighting
constexpr double kStill = 0.02;  // grey levels; the step that moves a model by less is the last
constexpr int kMostSamples = 2'500;
// The ratio by which a channel's gain may differ from that of the brightness, either way.
constexpr double kMostTintOfLight = 2.5;
constexpr double kLeastGain = 0.1;
constexpr double kStiffness = 0.00003;  // of the curve of brightness, per sample

struct Sample {
  std::uint8_t from = 0;
  std::uint8_t to = 0;
  double weight = 1;
};

using Samples = std::vector<Sample>;
using ModelledLevels = std::array<double, 256>;  // what a model makes of each grey level

template <typename Model>
ModelledLevels levels_of(const Model& model) {
  ModelledLevels levels;
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = model(static_cast<double>(i));
  return levels;
}

// Replaces the levels. Returns the largest change.
double replace(ModelledLevels& levels, const ModelledLevels& by) {
  double change = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    change = std::max(change, std::abs(by[i] - levels[i]));
  }
  levels = by;
  return change;
}

// Weighs samples by their distance from the model, after Geman and McClure.
void reweigh(Samples& samples, double least_scale, const ModelledLevels& model) {
  std::vector<double> distances;
  distances.reserve(samples.size());
  for (const Sample& one : samples) distances.push_back(std::abs(one.to - model[one.from]));
  const double scale = std::max(least_scale, 1.5 * quantile(distances, 0.5));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double relative = distances[i] / scale;
    const double weight = 1 / (1 + relative * relative);
    samples[i].weight = weight * weight;
  }
}

struct Line {
  double gain = 1;
  double offset = 0;

  double operator()(double value) const { return gain * value + offset; }
};

Line fit_line(Samples samples, double least_gain, double most_gain) {
  Line line;
  ModelledLevels levels = levels_of(line);
  for (int step = 0; step < kMostSteps; ++step) {
    double sum = 0;
    double from = 0;
    double to = 0;
    for (const Sample& one : samples) {
      sum += one.weight;
      from += one.weight * one.from;
      to += one.weight * one.to;
    }
    from /= sum;
    to /= sum;
    double squares = 1e-6;
    double products = 0;
    for (const Sample& one : samples) {
      squares += one.weight * (one.from - from) * (one.from - from);
      products += one.weight * (one.from - from) * (one.to - to);
    }
    line.gain = std::clamp(products / squares, least_gain, most_gain);
    line.offset = to - line.gain * from;
    if (replace(levels, levels_of(line)) < kStill) break;
    reweigh(samples, 1, levels);
  }
  return line;
}

// A curve through knots that lie closer in the dark, where a change of gamma bends it most.
struct Curve {
  // The knot to the left of a value, and how far the value lies towards the next one, [0, 1].
  struct Place {
    int left = 0;
    double share = 0;
  };

  std::array<double, LightModel::kKnots> at{};

  static double knot(int i) {
    const double step = double{1} * i / (LightModel::kKnots - 1);
    return 255 * step * step;
  }
  static Place place(double value) {
    const double root = std::sqrt(std::clamp(value, 0.0, 255.0) / 255);
    const int left =
        std::min(static_cast<int>(root * (LightModel::kKnots - 1)), LightModel::kKnots - 2);
    return {left, (value - knot(left)) / (knot(left + 1) - knot(left))};
  }
  double operator()(double value) const {
    const auto [left, share] = place(value);
    const auto i = static_cast<std::size_t>(left);
    return at[i] * (1 - share) + at[i + 1] * share;
  }
};

Curve fit_curve(Samples samples, const Line& start) {
  constexpr int kKnots = LightModel::kKnots;
  Curve curve;
  for (int i = 0; i < kKnots; ++i) curve.at[static_cast<std::size_t>(i)] = start(Curve::knot(i));
  // Differences of the slopes on both sides of a knot, in grey levels over the usual gap.
  constexpr double kGap = 255.0 / (kKnots - 1);
  cv::Mat bend = cv::Mat::zeros(kKnots - 2, kKnots, CV_64F);
  for (int i = 0; i + 2 < kKnots; ++i) {
    const double before = kGap / (Curve::knot(i + 1) - Curve::knot(i));
    const double after = kGap / (Curve::knot(i + 2) - Curve::knot(i + 1));
    bend.at<double>(i, i) = before;
    bend.at<double>(i, i + 1) = -before - after;
    bend.at<double>(i, i + 2) = after;
  }
  const cv::Mat stiff = bend.t() * bend * (kStiffness * static_cast<double>(samples.size())) +
                        cv::Mat::eye(kKnots, kKnots, CV_64F) * 1e-6;
  static const std::array<Curve::Place, 256> places_of_levels = [] {
    std::array<Curve::Place, 256> places;
    for (int i = 0; i < 256; ++i) places[static_cast<std::size_t>(i)] = Curve::place(i);
    return places;
  }();
  ModelledLevels levels = levels_of(curve);
  for (int step = 0; step < kMostSteps; ++step) {
    reweigh(samples, 2, levels);
    cv::Mat normal = stiff.clone();
    cv::Mat right = cv::Mat::zeros(kKnots, 1, CV_64F);
    for (const Sample& one : samples) {
      const auto [left, share] = places_of_levels[one.from];
      const double near = one.weight * (1 - share);
      const double far = one.weight * share;
      normal.at<double>(left, left) += near * (1 - share);
      normal.at<double>(left + 1, left + 1) += far * share;
      normal.at<double>(left, left + 1) += near * share;
      normal.at<double>(left + 1, left) += near * share;
      right.at<double>(left) += near * one.to;
      right.at<double>(left + 1) += far * one.to;
    }
    cv::Mat solved;
    cv::solve(normal, right, solved, cv::DECOMP_CHOLESKY);
    for (int i = 0; i < kKnots; ++i) curve.at[static_cast<std::size_t>(i)] = solved.at<double>(i);
    if (replace(levels, levels_of(curve)) < kStill) break;
  }
  return curve;
}

// Returns samples at the points of a grid in the mask, about kMostSamples of them.
//   value_at  value_at(plane, y, x) of planes of the mask's size
template <typename ValueAt>
Samples samples_of(const cv::Mat& from, const cv::Mat& to, const cv::Mat& mask,
                   const ValueAt& value_at) {
  const int every = std::max(
      1,
      static_cast<int>(std::lround(std::sqrt(double{1} * cv::countNonZero(mask) / kMostSamples))));
  Samples samples;
  for (int y = every / 2; y < mask.rows; y += every) {
    for (int x = every / 2; x < mask.cols; x += every) {
      if (mask.at<std::uint8_t>(y, x) == 0) continue;
      samples.push_back({value_at(from, y, x), value_at(to, y, x)});
    }
  }
  return samples;
}

// Returns the mean of the brightness that belongs to a pixel of the colours.
std::uint8_t mean_at(const cv::Mat& brightness, int y, int x) {
  constexpr int kPx = ColourImage::kColourPx;
  int sum = kPx * kPx / 2;
  for (int i = 0; i < kPx; ++i) {
    const std::uint8_t* row = brightness.ptr(kPx * y + i);
    for (int j = 0; j < kPx; ++j) sum += row[kPx * x + j];
  }
  return static_cast<std::uint8_t>(sum / (kPx * kPx));
}

std::uint8_t level(double value) {
  return cv::saturate_cast<std::uint8_t>(value);
}

}  // namespace

LightModel fit_light(const Planes& from, const Planes& to, const cv::Mat& mask) {
  LightModel light;
  const Samples bright = samples_of(from.brightness, to.brightness, mask, mean_at);
  const Line line = bright.empty() ? Line{} : fit_line(bright, kLeastGain, 1 / kLeastGain);
  light.brightness = bright.empty() ? Curve{}.at : fit_curve(bright, line).at;
  for (std::size_t channel = 0; channel < 3; ++channel) {
    const auto value_at = [channel](const cv::Mat& colours, int y, int x) {
      return colours.at<cv::Vec3b>(y, x)[static_cast<int>(channel)];
    };
    const Samples samples = samples_of(from.colours, to.colours, mask, value_at);
    if (samples.empty()) break;
    const Line own = fit_line(samples, line.gain / kMostTintOfLight, line.gain * kMostTintOfLight);
    light.gain[channel] = own.gain;
    light.offset[channel] = own.offset;
  }
  return light;
}

cv::Mat channel_table(const LightModel& light) {
  cv::Mat table(1, 256, CV_8UC3);
  for (int value = 0; value < 256; ++value) {
    for (std::size_t channel = 0; channel < 3; ++channel) {
      table.at<cv::Vec3b>(value)[static_cast<int>(channel)] =
          level(light.gain[channel] * value + light.offset[channel]);
    }
  }
  return table;
}

cv::Mat brightness_table(const LightModel& light) {
  const ModelledLevels levels = levels_of(Curve{light.brightness});
  cv::Mat table(1, 256, CV_8U);
  std::ranges::transform(levels, table.begin<std::uint8_t>(), level);
  return table;
}

}  // namespace lookalike
