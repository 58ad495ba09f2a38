#pragma once

#include <vector>

#include "base/image.h"
#include "base/matrix_view.h"

namespace lookalike {

// What Transpose::transpose must return, computed without OpenCL.
std::vector<float> transpose_reference(MatrixView<const float> matrix);
GrayImage transpose_reference(const ImageView& image);

}  // namespace lookalike
