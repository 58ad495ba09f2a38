#pragma once

#include <span>

namespace lookalike {

// The sum over all shifts (x, y) of the autocorrelations' product,
//   sum over shifts of (sum over p of a(p) a(p + shift)) (sum over p of b(p) b(p + shift)),
// of two images [height][width], width and height at least 1, that are 0 outside. By Fourier
// transforms: it is the mean product of their power spectra.
// Throws Error(kInternal) when an image is of another size.
double autocorrelation_product(std::span<const double> a, std::span<const double> b, int width,
                               int height);

}  // namespace lookalike
