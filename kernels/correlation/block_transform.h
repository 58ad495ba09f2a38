#pragma once

#include <memory>

#include "kernels/session/session.h"

namespace lookalike {

// Fourier transforms, in place, of square blocks of complex doubles on the device. VkFFT makes and
// compiles the kernels for the device at hand.
class BlockTransform {
 public:
  // Whether the build found VkFFT (LOOKALIKE_VKFFT); without it the constructor throws.
  static bool is_built_in();

  // Of `count` blocks [side][side] at a time, side a power of two up to 2048. Throws Error(kDevice)
  // when VkFFT has no kernels for that on this device.
  BlockTransform(OpenClSession& session, int side, int count);
  ~BlockTransform();

  // Queue the transforms of a buffer [count][side][side]; the inverse is not divided by side^2.
  void forward(const cl::Buffer& blocks);
  void inverse(const cl::Buffer& blocks);

 private:
  struct Plan;
  std::unique_ptr<Plan> plan_;
};

}  // namespace lookalike
