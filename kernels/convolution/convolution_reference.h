#pragma once

#include <vector>

#include "kernels/convolution/convolution.h"
#include "pipeline/matrix_view.h"

namespace lookalike {

// What Convolution must return, in double precision and without OpenCL.
std::vector<double> correlate_reference(MatrixView<const float> image,
                                        MatrixView<const float> filter, Border border);
std::vector<double> convolve_reference(MatrixView<const float> image,
                                       MatrixView<const float> filter, Border border);

}  // namespace lookalike
