#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/artefacts.h"
#include "base/image.h"
#include "kernels/device_images.h"
#include "kernels/session/session.h"

namespace lookalike {

// Exact sums over the pixels of images, by one 64-bit atomic addition a work-group; by two of 32
// bits where the device has none of 64.
class ImageVariance {
 public:
  explicit ImageVariance(OpenClSession& session) : session_(session) {}

  // The sums of each image. Images may differ in size, be empty and start anywhere in memory; many
  // go in one launch, fewer while the device is out of memory.
  // Throws Error(kDevice) when a launch fails.
  std::vector<PixelSums> compute(std::span<const ImageView> images);
  // The same of images on the device, in one launch.
  std::vector<PixelSums> compute(const DeviceImages& images);

 private:
  struct Plan;
  struct ChunkRun;
  void compute_batch(std::span<const ImageView> images, std::span<PixelSums> results);
  void add_up(const DeviceImages& images, std::span<PixelSums> results);
  void add_up(const Plan& plan, std::span<const ChunkRun> runs, std::span<PixelSums> results);

  OpenClSession& session_;
  struct {
    GrowingBuffer places, image_of_chunk, totals;
  } work_;
};

}  // namespace lookalike
