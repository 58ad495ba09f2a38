#pragma once

#include <vector>

#include "base/artefacts.h"
#include "base/geometry.h"
#include "base/image.h"

namespace lookalike {

// An image at half the size: the mean of each two by two pixels. An odd last row or column is left
// out.
GrayImage halved(const ImageView& image);
// Pixel centres of a halved image to those of the image.
inline constexpr Homography kHalvedToFull{{2, 0, 0.5, 0, 2, 0.5, 0, 0, 1}};

// The map from pixel centres of the full-size image to those of its reduced pixels.
Homography reduction(const DecodedImage& image);

// An image and its halves, so that a warp that shrinks it need not read every pixel.
class Pyramid {
 public:
  struct Level {
    ImageView image;
    Homography to_full;  // px of this level to px of the image
  };

  // The image must outlive the pyramid. Halved while the shorter side stays at least kLeastSidePx.
  explicit Pyramid(const DecodedImage& image);

  const DecodedImage& image() const { return image_; }

  // The level for a view each of whose pixels covers `shrink` pixels of the image: of the level it
  // covers between half a pixel and one, so one sample suffices.
  const Level& level_for(double shrink) const;

 private:
  static constexpr int kLeastSidePx = 32;

  const DecodedImage& image_;
  std::vector<GrayImage> halves_;
  std::vector<Level> levels_;  // level i is 2^i times smaller
};

}  // namespace lookalike
