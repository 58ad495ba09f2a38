#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/geometry.h"
#include "kernels/session/opencl.h"

namespace lookalike {

// An object at one level of its pyramid, on the host: pixels [height][width], less their mean.
struct PoseObject {
  std::vector<float> pixels;
  std::vector<std::uint8_t> mask;  // 0 where it does not count
  std::vector<Point> points;       // from the centre, px: what templates are made of
  int width = 0;
  int height = 0;
  Point centre;  // px of this level
};

// Turn and scale of an object. A positive turn is clockwise as seen.
struct TurnScale {
  double turn = 0;  // radians
  double scale = 1;
};

// A template at a whole position: the object's centre lies at (x, y) + centre_part(object).
struct PosePeak {
  cl_int template_index = 0;
  cl_int x = 0;
  cl_int y = 0;
  cl_float score = 0;
};

// Best scores at each position of a level, whatever the pose: [height][width]; kPoseFlat where
// windows are flat, kPoseOutside where no template fits in.
struct PoseMap {
  std::vector<float> scores;
  int width = 0;
  int height = 0;
};
inline constexpr float kPoseFlat = -1.5F;
inline constexpr float kPoseOutside = -2.0F;

struct PosePeaks {
  std::vector<PosePeak> peaks;  // best score first; of equals by template, y and x
  bool has_flat = false;        // some windows have no contrast
  bool has_contrast = false;    // some do
};

// What of the centre's place is not whole pixels, so that an object that is neither turned nor
// scaled meets whole pixels at level 0.
Point centre_part(const PoseObject& object);

// Sums for the fit of a pose, over the pixels of the object that lie in the scene: the upper
// triangle, by rows, of the products of (d/dx, d/dy, d/dturn, d/dlog scale, object, 1,
// scene less CentrePose::grey).
inline constexpr std::size_t kPoseFitTerms = 28;
using PoseFitSums = std::array<double, kPoseFitTerms>;

// A pose of an object at a level: where its centre lies.
struct CentrePose {
  Point centre;  // px of the level
  TurnScale turn_scale;
  double grey = 0;  // about the scene's mean there, less 128: what sums are taken less
};

// What windows and templates count as flat from: their variance as a share of the mean square,
// which float sums cannot tell from none, and as squared grey levels.
inline constexpr double kPoseFlatShare = 2e-6;
inline constexpr double kPoseFlatVariance = 1e-4;

// By how many whole pixels a template's taps may lie outside of the scene, and how far from the
// middle of its outermost pixels a pixel of the fit may lie.
inline constexpr int kPoseSlackPx = 1;
inline constexpr double kPoseRimPx = 0.51;

}  // namespace lookalike
