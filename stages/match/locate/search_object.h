#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/geometry.h"
#include "base/image.h"
#include "kernels/pose_search/pose_search.h"

namespace lookalike {

// An object prepared for the search: its pyramid, and the levels that the search uses.
class SearchObject {
 public:
  // mask: of the object's size, only pixels where it is opaque count, less a pixel at its rim; or
  // empty. Nor do pixels at the rim of an object of 24 px and more. Levels halve as the scene's do,
  // from the pixels that count alone; a pixel of a coarser level counts where at least three
  // quarters of its weight does.
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

// Evidence, in nats, that the scene shows the object at a pose rather than something unrelated: the
// log of the likelihood ratio, summed over the bands of a Laplacian pyramid,
//   -n / 2 * log(1 - r^2),
// r the correlation of object and scene in the band (none where it is not above 0; `reversed`: of
// the object's negative) and n the number of independent places that it rests on. A correlation
// that rests on a single edge or a few blots is weak evidence, however high; that of fine texture
// is strong evidence, even through noise. With d and e the details of object and scene, and w = d
// e,
//   n = (sum |w|)^2 / sum w^2 / a, a the sum over all shifts of d's and e's autocorrelation:
// the number of pixels that carry the correlation over the number of them that go together.
// Bands are added from the coarsest on until there is `enough`. The scene is read in between
// pixels, bilinear; positions outside of it do not count.
// Method: Bartlett, "On the theoretical specification and sampling properties of autocorrelated
// time-series", 1946, for a.
double information(const SearchObject& object, const ImageView& scene,
                   const Homography& object_to_scene, bool reversed, double enough);

// The sum over all shifts (x, y) of the autocorrelations' product,
//   sum over shifts of (sum over p of a(p) a(p + shift)) (sum over p of b(p) b(p + shift)),
// of two images [height][width], width and height at least 1, that are 0 outside. By Fourier
// transforms: it is the mean product of their power spectra.
// Throws Error(kInternal) when an image is of another size.
double autocorrelation_product(std::span<const double> a, std::span<const double> b, int width,
                               int height);

}  // namespace lookalike
