#pragma once

#include "base/geometry.h"
#include "base/image.h"

// Two indexed images that claim one place of a scene, such as two flavours of one brand.
namespace lookalike {

// The difference of correlations from which a scene resembles one image more than another.
inline constexpr double kResemblesMore = 0.2;

// An image that a scene may show.
struct Claim {
  const ColourImage& image;
  Homography to_scene;  // between full-size pixel centres
};

// What sets an image apart from its rival: the cells with a detail that the rival lacks. Adds up
// over several rivals.
struct OwnDetail {
  int cells = 0;
  // Sums over these cells of the scene's correlations with the image, and with the rival.
  double shown = 0;
  double rival_shown = 0;

  // True if the scene lacks most of it, and hardly resembles the image more than the rival there.
  bool is_missing() const;
  // True if the scene clearly resembles the rival more there.
  bool is_replaced() const;
  OwnDetail& operator+=(const OwnDetail& other);
};

// How a scene compares with two images, by square cells of the first that all three show.
struct RivalComparison {
  double agreement = 0;  // share of the textured cells in which the images agree, [0, 1]
  // What the scene prefers, by colour and by detail, [-1, 1]: the share of cells that show the
  // first image minus the share that show the second. A cell in which the images agree counts 0.
  double by_colour = 0;
  double by_detail = 0;
  OwnDetail of_first{};
  OwnDetail of_second{};

  // True if the images agree in so many cells that they share a print; two views of a thing rarely
  // do.
  bool is_one_print() const;
  // True if the images share a print and the scene shows the first, or the second, by its colours,
  // without a contradiction by detail. False for the zeros of equal colours.
  bool first_wins() const;
  bool second_wins() const;
};

// Aligns the images with each other and compares the scene with both in the cells where they
// differ. Returns zeros if their colours are about the same. Thresholds:
// docs/measurements/quality.md, "Rivals".
RivalComparison compare_rivals(const ColourImage& scene, const Claim& first, const Claim& second);

}  // namespace lookalike
