#pragma once

#include <vector>

#include "pipeline/image.h"
#include "pipeline/matrix_view.h"

namespace lookalike {

// What Transpose::transpose must return, computed without OpenCL.
std::vector<float> transpose_reference(MatrixView<const float> matrix);
GrayImage transpose_reference(const ImageView& image);

}  // namespace lookalike
