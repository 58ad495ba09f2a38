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
  // mask: empty, or of the object's size. Pixels count where it is opaque, but for a pixel at its
  // rim and for the rim of an object of 24 px or more. Levels halve as the scene's do, from the
  // pixels that count alone; a pixel of a coarser level counts if at least three quarters of its
  // weight does.
  SearchObject(const ImageView& object, const ImageView& mask);

  // Returns why the object cannot be searched for; empty if it can.
  const std::string& problem() const { return problem_; }

  const PoseObject& level(int index) const { return levels_[static_cast<std::size_t>(index)]; }

  // Returns the level on which the search starts: the coarsest on which the object, at the smallest
  // scale, has enough pixels and contrast to be distinguished from others.
  int coarsest(double min_scale) const;
  // Returns the finest level that is searched by templates, at most `coarsest`; below it the fit
  // continues.
  int finest_tried(int coarsest) const;

  // Largest distance of the object's pixels from its centre, px of level 0.
  double rim_px() const { return rim_px_; }

 private:
  void add_level(const std::vector<float>& shares, PoseObject level);

  std::vector<PoseObject> levels_;
  std::vector<double> contrast_;  // standard deviation of each level's counting pixels
  std::string problem_;
  double rim_px_ = 0;
};

// Returns the evidence, in nats, that the scene shows the object at a pose rather than something
// unrelated: the log of the likelihood ratio, summed over the bands of a Laplacian pyramid,
//   -n / 2 * log(1 - r^2),
// with r the correlation of object and scene in the band (bands with r <= 0 count nothing;
// `reversed` takes the object's negative) and n the number of independent places behind it. A
// correlation that rests on a single edge or a few blots is weak evidence, however high; fine
// texture is strong evidence, even through noise. With d and e the details of object and scene, and
// w = d e,
//   n = (sum |w|)^2 / sum w^2 / a,
// with a the sum over all shifts of d's and e's autocorrelation: the number of pixels that carry
// the correlation over the number that go together. Adds bands from the coarsest on until the sum
// is `enough`. Reads the scene between pixels, bilinearly; positions outside it do not count.
// Method: Bartlett, "On the theoretical specification and sampling properties of autocorrelated
// time-series", 1946, for a.
double information(const SearchObject& object, const ImageView& scene,
                   const Homography& object_to_scene, bool reversed, double enough);

// Returns the sum over all shifts of the product of two images' autocorrelations,
//   sum over shifts of (sum over p of a(p) a(p + shift)) (sum over p of b(p) b(p + shift)).
// Images are [height][width], at least 1 x 1, and 0 outside. Computed as the mean product of their
// power spectra. Throws Error(kInternal) when an image is of another size.
double autocorrelation_product(std::span<const double> a, std::span<const double> b, int width,
                               int height);

}  // namespace lookalike
