#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/matrix_view.h"

namespace lookalike {

// An interest point. Pixel centres lie at whole coordinates: (0, 0) is the middle of the top-left
// pixel.
struct Keypoint {
  float x = 0;              // px
  float y = 0;              // px
  float size = 0;           // diameter, px
  float angle_degrees = 0;  // [0, 360), as SURF's reference writes it; 270 when upright
  float response = 0;       // determinant of the Hessian, not interpolated
  std::int32_t octave = 0;
  std::int32_t laplacian_sign = 0;  // sign of the trace: -1, 0 or +1 (OpenCV's class_id)

  bool operator==(const Keypoint&) const = default;
};

// Position, size and orientation of a feature.
struct FeaturePlace {
  double x = 0;  // px
  double y = 0;
  double size = 0;           // px, positive
  double angle_degrees = 0;  // clockwise as seen, from the x axis
};

// Returns the place of a Keypoint or an IndexedFeature.
template <typename Feature>
FeaturePlace place_of(const Feature& feature) {
  return {feature.x, feature.y, feature.size, feature.angle_degrees};
}

// The features of one image: keypoints [n] and descriptors [n][descriptor_size].
struct FeatureSet {
  std::size_t descriptor_size = 64;
  std::vector<Keypoint> keypoints;
  std::vector<float> descriptors;

  std::size_t size() const { return keypoints.size(); }
  MatrixView<const float> descriptor_matrix() const { return {descriptors, descriptor_size}; }
};

}  // namespace lookalike
