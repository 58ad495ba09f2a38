#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/pose_search/scene_pyramid.h"
#include "kernels/session/session.h"
#include "pipeline/homography.h"

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

// Scores poses of an object by normalised cross-correlation on the device, in floats: a template is
// the object turned and scaled, tapped at the whole pixels that its points come to lie on, so that
// any shape counts and templates are turned rather than scenes.
//   rho = sum t x / sqrt(sum x^2 - (sum x)^2 / n), t of mean 0 and norm 1 over its n taps
// Of reversed polarity: give the object's negative; with `either`, scores are |rho|.
// Throws Error(kInternal) when an object has no points or lies further from its centre than the
// pyramid's reach, DeviceOutOfMemory.
class PoseSearch {
 public:
  explicit PoseSearch(OpenClSession& session);

  // Every position of the level with every pose: of each `run` neighbours among the poses, the
  // best counts, and its local maxima from min_score on are returned. A map, where given, gets the
  // best of all poses.
  PosePeaks search(const PyramidLevel& level, const PoseObject& object,
                   std::span<const TurnScale> poses, std::size_t run, float min_score, bool either,
                   PoseMap* map = nullptr);

  // Moves each try to the best of the 5 x 5 positions around it (ties: lowest y, then x) and gives
  // it its score.
  void refine(const PyramidLevel& level, const PoseObject& object, std::span<const TurnScale> poses,
              bool either, std::vector<PosePeak>& tries);

  std::vector<PoseFitSums> fit_sums(const PyramidLevel& level, const PoseObject& object,
                                    std::span<const CentrePose> poses);

 private:
  struct Templates {
    cl::Buffer templates, offsets, values;
    cl_int points = 0;
  };
  Templates make_templates(const PyramidLevel& level, const PoseObject& object,
                           std::span<const TurnScale> poses);
  PosePeaks read_peaks(const PyramidLevel& level, const cl::Buffer& best, const cl::Buffer& chosen,
                       std::size_t runs, int map_pitch, int map_rows, float min_score);

  OpenClSession& session_;
  cl::Kernel make_taps_, finish_taps_, best_of_runs_, find_peaks_, refine_, fit_sums_;
};

}  // namespace lookalike
