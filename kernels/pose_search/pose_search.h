#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/geometry.h"
#include "base/image.h"
#include "kernels/session/session.h"

namespace lookalike {

// An object at one level of its pyramid, on the host: pixels [height][width], less their mean.
struct PoseObject {
  std::vector<float> pixels;
  std::vector<std::uint8_t> mask;  // 0 where pixels do not count
  std::vector<Point> points;       // what templates are made of; from the centre, px
  int width = 0;
  int height = 0;
  Point centre;  // px of this level
};

// Turn and scale of an object; a positive turn is clockwise on the screen.
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

// The best score of all poses at each position of a level: [height][width]; kPoseFlat where windows
// are flat, kPoseOutside where no template fits in.
struct PoseMap {
  std::vector<float> scores;
  int width = 0;
  int height = 0;
};
inline constexpr float kPoseFlat = -1.5F;
inline constexpr float kPoseOutside = -2.0F;

struct PosePeaks {
  std::vector<PosePeak> peaks;  // best score first; equal ones by template, y and x
  bool has_flat = false;        // some windows have no contrast
  bool has_contrast = false;    // some do
};

// Returns the fraction of a pixel in the centre's position. Templates are placed with it, so that
// an object that is neither turned nor scaled meets whole pixels at level 0.
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
  double grey = 0;  // subtracted from the scene: about its mean there, less 128
};

// Largest variance of a flat window, as a share of its mean square, below which float sums cannot
// tell it from 0; and of a flat template, in squared grey levels.
inline constexpr double kPoseFlatShare = 2e-6;
inline constexpr double kPoseFlatVariance = 1e-4;

// How far outside the scene the taps of a template may lie, whole px, and the pixels of a fit, px
// from the middle of the outermost pixels.
inline constexpr int kPoseSlackPx = 1;
inline constexpr double kPoseRimPx = 0.51;

// One level of an image on the device: float [height + 2 margin][pitch], grey less 128; in the
// margin the outermost pixels are repeated. Pixel (x, y) is element origin() + y * pitch + x.
struct PyramidLevel {
  cl::Buffer pixels;
  int width = 0;
  int height = 0;
  int margin = 0;
  int pitch = 0;

  int origin() const { return margin * pitch + margin; }
};

// An image at full size (level 0) and halved `levels` - 1 times: pixel (x, y) of a level lies at
// (2 x, 2 y) of the one before.
// Method: Burt and Adelson, "The Laplacian pyramid as a compact image code", 1983.
class ScenePyramid {
 public:
  explicit ScenePyramid(OpenClSession& session);

  // Replaces the levels.
  //   reach_px  how far templates reach from their positions at level 0; every level can be read as
  //             far outside
  // Throws Error(kInternal) when the image is empty or levels < 1, DeviceOutOfMemory.
  void load(const ImageView& image, int levels, int reach_px);

  int levels() const { return static_cast<int>(levels_.size()); }
  const PyramidLevel& level(int index) const { return levels_[static_cast<std::size_t>(index)]; }

  // Returns the approximate device memory of an image, bytes.
  static std::size_t device_bytes(int width, int height, int reach_px);

 private:
  OpenClSession& session_;
  cl::Kernel first_level_;
  cl::Kernel halve_;
  std::vector<PyramidLevel> levels_;
};

// An object's pixels on the device, for the fit. The object must outlive it.
struct FitObject {
  const PoseObject* object = nullptr;
  cl::Buffer pixels, mask;
};

// Scores poses of an object by normalised cross-correlation on the device, in floats: a template is
// the object turned and scaled, tapped at the whole pixels that its points come to lie on, so that
// any shape counts and templates are turned rather than scenes.
//   rho = sum t x / sqrt(sum x^2 - (sum x)^2 / n), t of mean 0 and norm 1 over its n taps
// For reversed polarity pass the object's negative; with `either`, scores are |rho|.
// Throws Error(kInternal) when an object has no points or reaches further from its centre than the
// pyramid's margin allows, DeviceOutOfMemory.
class PoseSearch {
 public:
  explicit PoseSearch(OpenClSession& session);

  // What search() looks for.
  struct Wanted {
    std::size_t run = 1;     // successive poses per run; a position keeps the best of each run
    float min_score = 0;     // of a peak
    bool either = false;     // whether |rho| counts
    PoseMap* map = nullptr;  // receives the best score of all poses
  };
  // Scores every position of the level with every pose, and returns the local maxima of each run of
  // poses. No poses give no peaks. Throws Error(kInternal) when wanted.run is 0.
  PosePeaks search(const PyramidLevel& level, const PoseObject& object,
                   std::span<const TurnScale> poses, const Wanted& wanted);

  // Moves each try to the best of the 5 x 5 positions around it (ties: lowest y, then x) and gives
  // it its score.
  void refine(const PyramidLevel& level, const PoseObject& object, std::span<const TurnScale> poses,
              bool either, std::vector<PosePeak>& tries);

  // Sends pixels and mask to the device, once for any number of fits. Throws Error(kInternal) when
  // the object has no pixels.
  FitObject fit_object(const PoseObject& object);

  // Returns the sums of each pose, in order; an object outside the scene has sums of 0. Added up in
  // floats over some rows of the object, then in doubles.
  //   fitted  from fit_object
  std::vector<PoseFitSums> fit_sums(const PyramidLevel& level, const FitObject& fitted,
                                    std::span<const CentrePose> poses);

 private:
  struct Templates;
  struct RunScores;

  Templates make_templates(const PyramidLevel& level, const PoseObject& object,
                           std::span<const TurnScale> poses);
  void score_runs(const PyramidLevel& level, const PoseObject& object,
                  std::span<const TurnScale> poses, const Wanted& wanted, RunScores& scores);
  PosePeaks read_peaks(const RunScores& scores, float min_score);

  OpenClSession& session_;
  cl::Kernel make_taps_, finish_taps_, best_of_runs_, find_peaks_, refine_, fit_sums_;
};

// A level of a pyramid on the host: pixels [height][width], grey less 128.
struct PlainLevel {
  std::vector<float> pixels;
  int width = 0;
  int height = 0;

  // Returns a pixel's value; outside the level, the nearest pixel's.
  float at(int x, int y) const;
};

// Computes what ScenePyramid::load must give, without OpenCL.
std::vector<PlainLevel> scene_pyramid_reference(const ImageView& image, int levels);

// Computes the scores of one pose at every position of a level, [height][width], without OpenCL.
std::vector<float> pose_scores_reference(const PlainLevel& level, const PoseObject& object,
                                         const TurnScale& pose, bool either);

// Computes what PoseSearch::fit_sums must give for one pose, without OpenCL.
PoseFitSums fit_sums_reference(const PlainLevel& level, const PoseObject& object,
                               const CentrePose& pose);

}  // namespace lookalike
