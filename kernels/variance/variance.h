#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/artefacts.h"
#include "base/image.h"
#include "kernels/device_images.h"
#include "kernels/session/session.h"

namespace lookalike {

// Sums the pixels of images exactly, by one 64-bit atomic addition a work-group, or two of 32 bits
// where the device has none of 64.
class ImageVariance {
 public:
  explicit ImageVariance(OpenClSession& session) : session_(session) {}

  // Returns the sums of each image. Images may differ in size, be empty and start anywhere in
  // memory; many go in one launch, fewer while the device is out of memory. Throws Error(kDevice)
  // when a launch fails.
  std::vector<PixelSums> compute(std::span<const ImageView> images);
  // Returns the sums of images on the device, in one launch.
  std::vector<PixelSums> compute(const DeviceImages& images);

 private:
  OpenClSession& session_;
  struct {
    GrowingBuffer places, image_of_chunk, totals;
  } work_;
};

}  // namespace lookalike
