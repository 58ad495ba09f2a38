#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/features.h"
#include "base/image.h"

namespace lookalike {

// Sums over rectangles of an image.
class IntegralImage {
 public:
  explicit IntegralImage(const ImageView& image);

  int width() const { return width_; }
  int height() const { return height_; }
  // Sum of the pixels in [left, right) x [top, bottom).
  std::int64_t sum(int left, int top, int right, int bottom) const {
    return at(right, bottom) - at(left, bottom) - at(right, top) + at(left, top);
  }

 private:
  std::int64_t at(int x, int y) const {
    return sums_[static_cast<std::size_t>(y) * (static_cast<std::size_t>(width_) + 1) +
                 static_cast<std::size_t>(x)];
  }

  int width_;
  int height_;
  std::vector<std::int64_t> sums_;
};

// The sampling interval s of a keypoint of that size.
inline float sampling_interval(float size) {
  return size * 1.2F / 9.0F;
}

// Dominant direction in [0, 360), or nothing when it cannot be sampled in this image.
std::optional<float> reference_orientation(const IntegralImage& integral, const Keypoint& keypoint,
                                           bool upright);

// descriptor_size values of length 1.
std::vector<float> reference_descriptor(const ImageView& image, const Keypoint& keypoint,
                                        std::size_t descriptor_size, bool upright);

}  // namespace lookalike
