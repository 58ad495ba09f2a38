#pragma once

#include <span>

#include "base/geometry.h"
#include "base/image.h"
#include "stages/match/locate/search_object.h"

namespace lookalike {

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
