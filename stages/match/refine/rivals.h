#pragma once

#include "base/geometry.h"
#include "base/image.h"

// Two indexed images that claim one place of a scene, such as two flavours of one brand.
namespace lookalike {

// An image that a scene may show.
struct Claim {
  const ColourImage& image;
  Homography to_scene;  // between full-size pixel centres
};

// How two images compare where both cover the scene, by cells of the first.
struct RivalComparison {
  double agreement = 0;  // share of the cells with texture in which the images agree, [0, 1]
  // Of all cells, the share in which the images differ and the scene shows the first, less the
  // share in which it shows the second, [-1, 1].
  double by_colour = 0;
  double by_detail = 0;

  // True if the scene shows one of them, which differs from the other in parts of one print. Two
  // views of a thing agree less, or differ in few colours.
  bool first_wins() const;
  bool second_wins() const;
};

// Aligns the images with each other and asks the scene in the cells where they differ. Returns
// zeros where their colours are about the same. Thresholds: docs/measurements/quality.md, "Rivals".
RivalComparison compare_rivals(const ColourImage& scene, const Claim& first, const Claim& second);

}  // namespace lookalike
