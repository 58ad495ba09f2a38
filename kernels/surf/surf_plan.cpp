#include "kernels/surf/surf_plan.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.h"

namespace lookalike {
namespace {

void check(bool holds, const std::string& what) {
  if (!holds) throw Error(ErrorKind::kInternal, "Surf: " + what);
}

SurfLayer make_layer(int width, int height, int octave, int index) {
  SurfLayer layer;
  layer.octave = octave;
  layer.step = 1 << octave;
  layer.side = (kSurfFirstSide + kSurfSideStep * index) << octave;
  layer.columns = width / layer.step;
  layer.rows = height / layer.step;
  layer.sample_columns = 1 + (width - layer.side) / layer.step;
  layer.sample_rows = 1 + (height - layer.side) / layer.step;
  layer.margin = layer.side / 2 / layer.step;
  const int line_area = layer.side / 3 * (grid_line(layer.side, 7) - grid_line(layer.side, 2));
  const int cross_side = grid_line(layer.side, 4) - grid_line(layer.side, 1);
  layer.line_weight = 1.0F / static_cast<float>(line_area);
  layer.cross_weight = 1.0F / static_cast<float>(cross_side * cross_side);
  return layer;
}

// Returns how often an image is halved for the largest keypoint that a layer can have.
int halvings_of(const SurfLayer& layer, int max_interval) {
  if (max_interval == 0) return 0;
  const int largest = layer.side + (kSurfSideStep << layer.octave);
  float interval = sampling_interval(static_cast<float>(largest));
  int halvings = 0;
  for (; interval > static_cast<float>(max_interval); interval /= 2) ++halvings;
  return halvings;
}

}  // namespace

void check_parameters(const SurfParameters& parameters) {
  check(
      parameters.hessian_threshold >= 0 && std::isfinite(parameters.hessian_threshold),
      "hessian_threshold must be at least 0, was " + std::to_string(parameters.hessian_threshold));
  check(parameters.octaves >= 1 && parameters.octaves <= 6,
        "octaves must be 1 to 6, was " + std::to_string(parameters.octaves));
  check(parameters.layers >= 1 && parameters.layers <= 8,
        "layers must be 1 to 8, was " + std::to_string(parameters.layers));
  check(parameters.descriptor_size == 64 || parameters.descriptor_size == 128,
        "descriptor_size must be 64 or 128, was " + std::to_string(parameters.descriptor_size));
  check(parameters.brighten_to >= 0 && parameters.brighten_to <= 255,
        "brighten_to must be 0 to 255, was " + std::to_string(parameters.brighten_to));
  check(parameters.max_interval == 0 || parameters.max_interval >= 2,
        "max_interval must be 0 or at least 2, was " + std::to_string(parameters.max_interval));
}

SurfPlan plan_surf(int width, int height, const SurfParameters& parameters) {
  SurfPlan plan;
  std::vector<SurfLayer>& layers = plan.layers;
  for (int octave = 0; octave < parameters.octaves; ++octave) {
    for (int index = 0; index < parameters.layers + 2; ++index) {
      const SurfLayer layer = make_layer(width, height, octave, index);
      if (layer.side <= std::min(width, height)) layers.push_back(layer);
    }
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    SurfLayer& layer = layers[i];
    layer.map = static_cast<std::int32_t>(plan.map_values);
    layer.first_sample_row = static_cast<std::int32_t>(plan.sample_rows);
    layer.first_search_row = static_cast<std::int32_t>(plan.search_rows);
    plan.map_values +=
        static_cast<std::size_t>(layer.columns) * static_cast<std::size_t>(layer.rows);
    plan.sample_rows += static_cast<std::size_t>(layer.sample_rows);
    // Keypoints lie between two layers of the same octave.
    if (i == 0 || i + 1 == layers.size() || layers[i - 1].octave != layers[i + 1].octave) continue;
    layer.border = layers[i + 1].margin + 1;
    plan.search_rows += static_cast<std::size_t>(std::max(0, layer.rows - 2 * layer.border));
    plan.halvings = std::max(plan.halvings, halvings_of(layer, parameters.max_interval));
  }
  check(plan.map_values <= INT32_MAX,
        "image too large: " + std::to_string(width) + " x " + std::to_string(height));
  return plan;
}

std::vector<float> gaussian(int taps, double sigma) {
  std::vector<double> values;
  double sum = 0;
  for (int i = 0; i < taps; ++i) {
    const double x = i - (taps - 1) * 0.5;
    values.push_back(std::exp(-x * x / (2 * sigma * sigma)));
    sum += values.back();
  }
  std::vector<float> weights;
  for (const double value : values) weights.push_back(static_cast<float>(value / sum));
  return weights;
}

std::vector<OrientationSample> orientation_samples() {
  const std::vector<float> weights = gaussian(2 * kOrientationRadius + 1, kOrientationSigma);
  std::vector<OrientationSample> samples;
  for (int y = -kOrientationRadius; y <= kOrientationRadius; ++y) {
    for (int x = -kOrientationRadius; x <= kOrientationRadius; ++x) {
      if (x * x + y * y > kOrientationRadius * kOrientationRadius) continue;
      const auto column = static_cast<std::size_t>(x + kOrientationRadius);
      const auto row = static_cast<std::size_t>(y + kOrientationRadius);
      samples.push_back(
          {static_cast<float>(x), static_cast<float>(y), weights[column] * weights[row]});
    }
  }
  return samples;
}

}  // namespace lookalike
