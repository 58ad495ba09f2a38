#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <opencv2/core.hpp>

#include "stages/match/match.h"

// Pictures for the demo, the README and the tests: drawn, so that nobody else's are needed, and
// with known truth. The same arguments give the same picture.
namespace lookalike {

// A colourful poster of shapes and words.
cv::Mat draw_poster(std::uint64_t seed, cv::Size size);

// A picture that hangs in a scene: its corners there, in the convention of Quad.
struct Placement {
  cv::Mat picture;
  Quad quad{};
};

// A textured wall with pictures on it, seen in perspective, with shade and sensor noise.
cv::Mat draw_scene(std::span<const Placement> placements, cv::Size size, std::uint64_t seed);

// The middle of an image turned clockwise and scaled, cut so that no border shows.
cv::Mat turned_crop(const cv::Mat& image, double angle_degrees, double scale);

// Noise of many sizes: full of features, like nothing else.
cv::Mat draw_stranger(std::uint64_t seed, cv::Size size);

// The photo with numbered outlines, and the pictures that were found beside it.
struct Outlined {
  cv::Mat picture;
  Quad quad{};
};
cv::Mat draw_result(const cv::Mat& photo, std::span<const Outlined> found);

}  // namespace lookalike
