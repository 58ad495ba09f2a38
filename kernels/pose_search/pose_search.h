#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/image.h"
#include "kernels/pose_search/pose_types.h"
#include "kernels/session/session.h"

namespace lookalike {

// One level of an image on the device: float [height + 2 margin][pitch], grey less 128; in the
// margin the outermost pixels go on. Pixel (x, y) is element origin() + y * pitch + x.
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

  // Replaces what was there. reach_px: how far templates reach from their positions at level 0;
  // every level can be read that far outside. Throws Error(kInternal) when the image is empty or
  // levels < 1, DeviceOutOfMemory.
  void load(const ImageView& image, int levels, int reach_px);

  int levels() const { return static_cast<int>(levels_.size()); }
  const PyramidLevel& level(int index) const { return levels_[static_cast<std::size_t>(index)]; }

  // Device memory that such an image takes, bytes, about.
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
// Of reversed polarity: give the object's negative; with `either`, scores are |rho|.
// Throws Error(kInternal) when an object has no points or lies further from its centre than the
// pyramid's reach, DeviceOutOfMemory.
class PoseSearch {
 public:
  explicit PoseSearch(OpenClSession& session);

  // Every position of the level with every pose: of each `run` neighbours among the poses, the
  // best counts, and its local maxima from min_score on are returned. A map, where given, gets the
  // best of all poses. No poses give no peaks. Throws Error(kInternal) when `run` is 0.
  PosePeaks search(const PyramidLevel& level, const PoseObject& object,
                   std::span<const TurnScale> poses, std::size_t run, float min_score, bool either,
                   PoseMap* map = nullptr);

  // Moves each try to the best of the 5 x 5 positions around it (ties: lowest y, then x) and gives
  // it its score.
  void refine(const PyramidLevel& level, const PoseObject& object, std::span<const TurnScale> poses,
              bool either, std::vector<PosePeak>& tries);

  // Sends pixels and mask to the device, once for any number of fits. Throws Error(kInternal) when
  // the object has no pixels.
  FitObject fit_object(const PoseObject& object);

  // Of each pose, in their order; none for none. `fitted` is of fit_object. Sums of an object
  // outside of the scene are 0. Added up in floats over some rows of the object, then in doubles.
  std::vector<PoseFitSums> fit_sums(const PyramidLevel& level, const FitObject& fitted,
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

// A level of a pyramid on the host: pixels [height][width], grey less 128.
struct PlainLevel {
  std::vector<float> pixels;
  int width = 0;
  int height = 0;

  // Outside, the outermost pixels go on.
  float at(int x, int y) const;
};

// What ScenePyramid::load must give, computed without OpenCL.
std::vector<PlainLevel> scene_pyramid_reference(const ImageView& image, int levels);

// Scores of one pose at every position of a level, [height][width], as PoseSearch::search takes
// the best of.
std::vector<float> pose_scores_reference(const PlainLevel& level, const PoseObject& object,
                                         const TurnScale& pose, bool either);

// What PoseSearch::fit_sums must give for one pose.
PoseFitSums fit_sums_reference(const PlainLevel& level, const PoseObject& object,
                               const CentrePose& pose);

}  // namespace lookalike
