#pragma once

#include <vector>

#include "base/matrix_view.h"
#include "kernels/convolution/convolution.h"

namespace lookalike {

// What Convolution must return, in double precision and without OpenCL.
std::vector<double> correlate_reference(MatrixView<const float> image,
                                        MatrixView<const float> filter, Border border);
std::vector<double> convolve_reference(MatrixView<const float> image,
                                       MatrixView<const float> filter, Border border);

}  // namespace lookalike
