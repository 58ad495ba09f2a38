#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/surf/surf.h"

// What the kernels and the reference of SURF share: constants of the method, samples and scales.
namespace lookalike {

// The side of the smallest filter and its growth from layer to layer, in the first octave.
inline constexpr int kSurfFirstSide = 9;
inline constexpr int kSurfSideStep = 6;
inline constexpr float kCrossShare = 0.81F;  // determinant = Dxx * Dyy - this * Dxy^2
inline constexpr int kOrientationRadius = 6;
inline constexpr double kOrientationSigma = 2.5;
inline constexpr int kOrientationStepDegrees = 5;
inline constexpr int kOrientationHalfWindowDegrees = 30;
inline constexpr float kUprightAngleDegrees = 270;
inline constexpr int kPatchSide = 21;  // of the averaged window; gradients are one fewer
inline constexpr double kDescriptorSigma = 3.3;
inline constexpr float kNormEpsilon = 1.19e-7F;

// One map of Hessian determinants. Sample (row, column) of a layer is the filter whose top-left
// pixel is (step * column, step * row); in the map it stands at (row + margin, column + margin),
// which aligns the maps of an octave. As Layer in common.cl.
struct SurfLayer {
  std::int32_t octave = 0;
  std::int32_t step = 1;
  std::int32_t side = 0;     // of the filter, px
  std::int32_t columns = 0;  // of the map
  std::int32_t rows = 0;
  std::int32_t sample_columns = 0;  // filters that fit side by side
  std::int32_t sample_rows = 0;
  std::int32_t margin = 0;
  std::int32_t border = 0;            // of the search in this map; 0 where there is no search
  std::int32_t map = 0;               // first value of the map in all maps
  std::int32_t first_sample_row = 0;  // sample rows of all layers before
  std::int32_t first_search_row = 0;  // searched rows of all layers before
  float line_weight = 0;              // 1 / area of a box of Dxx and Dyy
  float cross_weight = 0;             // 1 / area of a box of Dxy
};

// The layers of an image of one size that fit, by octave, then side.
struct SurfPlan {
  std::vector<SurfLayer> layers;
  std::size_t sample_rows = 0;
  std::size_t search_rows = 0;
  std::size_t map_values = 0;
  int halvings = 0;  // of the image, for its largest keypoints; see SurfParameters::max_interval
};

// Throws Error(kInternal) when a parameter is out of range.
void check_parameters(const SurfParameters& parameters);

SurfPlan plan_surf(int width, int height, const SurfParameters& parameters);

// Returns where a line of the 9-unit grid falls: k * side / 9, rounded. Never a tie, since 3
// divides side.
constexpr int grid_line(int side, int k) {
  return (2 * side * k + 9) / 18;
}

// Returns the sampling interval s of a keypoint of this size, px.
constexpr float sampling_interval(float size) {
  return size * 1.2F / 9.0F;
}

// Returns a Gaussian of `taps` taps about the middle, sum 1.
std::vector<float> gaussian(int taps, double sigma);

// Offsets (in sampling intervals) and Gaussian weights of the samples that choose an orientation.
struct OrientationSample {
  float x = 0;
  float y = 0;
  float weight = 0;
};
std::vector<OrientationSample> orientation_samples();

}  // namespace lookalike
