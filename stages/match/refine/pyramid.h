#pragma once

#include <vector>

#include "base/homography.h"
#include "base/image.h"

namespace lookalike {

// An image at half the size: the mean of each two by two pixels. An odd last row or column is left
// out.
GrayImage halved(const ImageView& image);

// An image and its halves, so that a warp that shrinks it need not look at every pixel.
class Pyramid {
 public:
  struct Level {
    ImageView image;
    Homography to_full;  // px of this level to px of the image
  };

  // The image must outlive the pyramid. Halved while the shorter side stays at least kLeastSidePx.
  //   alpha  of the image's size, or empty: all of it is opaque
  explicit Pyramid(const ImageView& image, const ImageView& alpha = {});

  const ImageView& alpha() const { return alpha_; }

  // The level of which a view that takes `shrink` pixels of the image to one takes half a pixel to
  // a whole one, so that one sample a pixel will do.
  const Level& level_for(double shrink) const;

 private:
  static constexpr int kLeastSidePx = 32;

  ImageView alpha_;
  std::vector<GrayImage> halves_;
  std::vector<Level> levels_;  // level i is 2^i times smaller
};

}  // namespace lookalike
