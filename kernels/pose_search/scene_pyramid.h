#pragma once

#include <vector>

#include "base/image.h"
#include "kernels/session/session.h"

namespace lookalike {

// One level of an image on the device: float [height + 2 margin][pitch], grey less 128; in the
// margin the outermost pixels go on. Pixel (x, y) is element origin() + y * pitch + x.
struct PyramidLevel {
  cl::Buffer pixels;
  int width = 0;
  int height = 0;
  int margin = 0;
  int pitch = 0;

  int origin() const { return margin * pitch + margin; }
};

// An image at full size (level 0) and halved `levels` - 1 times: pixel (x, y) of a level lies at
// (2 x, 2 y) of the one before.
// Method: Burt and Adelson, "The Laplacian pyramid as a compact image code", 1983.
class ScenePyramid {
 public:
  explicit ScenePyramid(OpenClSession& session);

  // Replaces what was there. reach_px: how far templates reach from their positions at level 0;
  // every level can be read that far outside. Throws Error(kInternal) when the image is empty or
  // levels < 1, DeviceOutOfMemory.
  void load(const ImageView& image, int levels, int reach_px);

  int levels() const { return static_cast<int>(levels_.size()); }
  const PyramidLevel& level(int index) const { return levels_[static_cast<std::size_t>(index)]; }

  // Device memory that such an image takes, bytes, about.
  static std::size_t device_bytes(int width, int height, int reach_px);

 private:
  OpenClSession& session_;
  cl::Kernel first_level_;
  cl::Kernel halve_;
  std::vector<PyramidLevel> levels_;
};

}  // namespace lookalike
