#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <opencv2/core.hpp>

#include "base/random.h"
#include "stages/match/match.h"

// Pictures for the demo, the README and the tests: drawn, so that no foreign ones are needed and
// the truth is known. The same arguments give the same picture.
namespace lookalike {

// A colourful poster of shapes and words.
cv::Mat draw_poster(std::uint64_t seed, cv::Size size);

// A picture on the wall of a scene, and its corners there.
struct Placement {
  cv::Mat picture;
  Quad quad{};
};

// A textured wall with pictures on it, seen in perspective, with shade and sensor noise.
cv::Mat draw_scene(std::span<const Placement> placements, cv::Size size, std::uint64_t seed);

// The middle of an image, rotated clockwise and scaled, cropped so that no border shows.
cv::Mat turned_crop(const cv::Mat& image, double angle_degrees, double scale);

// Noise of many sizes: full of features, similar to no other picture.
cv::Mat draw_stranger(std::uint64_t seed, cv::Size size);

// A found picture and its outline in the photo.
struct Outlined {
  cv::Mat picture;
  Quad quad{};
};
// The photo with numbered outlines, and the found pictures beside it.
cv::Mat draw_result(const cv::Mat& photo, std::span<const Outlined> found);

}  // namespace lookalike
