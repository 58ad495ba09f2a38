// Where the build did not find VkFFT.
#include "kernels/correlation/block_transform.h"

namespace lookalike {

struct BlockTransform::Plan {};

bool BlockTransform::is_built_in() {
  return false;
}

BlockTransform::BlockTransform(OpenClSession& /*session*/, int side, int /*count*/) {
  throw Error(
      ErrorKind::kDevice,
      "Fourier transform: built without VkFFT, blocks wanted were of side " + std::to_string(side));
}

BlockTransform::~BlockTransform() = default;

void BlockTransform::forward(const cl::Buffer& /*blocks*/) {}

void BlockTransform::inverse(const cl::Buffer& /*blocks*/) {}

}  // namespace lookalike
