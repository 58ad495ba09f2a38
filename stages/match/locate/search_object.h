#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/image.h"
#include "kernels/pose_search/pose_search.h"

namespace lookalike {

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

inline constexpr float kMinWeight = 0.75F;  // from which a pixel of a coarser level counts

// Weighted means by [1 4 6 4 1] / 16 along both axes: of every pixel, and of every second, so that
// pixel (x, y) lies at (2 x, 2 y). The weights of `halved` are the shares that counted; those of
// `smoothed` stay.
WeightedImage smoothed(const WeightedImage& from);
WeightedImage halved(const WeightedImage& from);

// An object prepared for the search: its pyramid, and the levels that the search uses.
class SearchObject {
 public:
  // mask: of the object's size, only pixels where it is opaque count, less a pixel at its rim; or
  // empty. Nor do pixels at the rim of an object of 24 px and more. Levels halve as the scene's do,
  // from the pixels that count alone; a pixel of a coarser level counts where at least kMinWeight
  // of its weight does.
  SearchObject(const ImageView& object, const ImageView& mask);

  // Why the object cannot be searched for; empty when it can.
  const std::string& problem() const { return problem_; }

  const PoseObject& level(int index) const { return levels_[static_cast<std::size_t>(index)]; }

  // The coarsest level on which the object, at the smallest scale in the range, still has enough
  // pixels and contrast to be distinguished from others. The search starts there.
  int coarsest(double min_scale) const;
  // The finest level whose templates are tried; below it the fit continues. At most `coarsest`.
  int finest_tried(int coarsest) const;

  // The furthest that the object reaches from its centre, px of level 0.
  double rim_px() const { return rim_px_; }

 private:
  void add_level(const std::vector<float>& shares, PoseObject level);

  std::vector<PoseObject> levels_;
  std::vector<double> contrast_;  // standard deviation of each level's pixels that count
  std::string problem_;
  double rim_px_ = 0;
};

}  // namespace lookalike
