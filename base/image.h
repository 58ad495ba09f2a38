#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lookalike {

// View of an 8-bit grey image: pixels [height][width], rows without padding.
struct ImageView {
  const std::uint8_t* pixels = nullptr;
  int width = 0;
  int height = 0;

  std::size_t size() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
  bool empty() const { return width == 0 || height == 0; }
  std::uint8_t at(int x, int y) const {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                  static_cast<std::size_t>(x)];
  }
};

// An 8-bit grey image: pixels [height][width].
struct GrayImage {
  std::vector<std::uint8_t> pixels;
  int width = 0;
  int height = 0;

  GrayImage() = default;
  GrayImage(int image_width, int image_height)
      : pixels(static_cast<std::size_t>(image_width) * static_cast<std::size_t>(image_height)),
        width(image_width),
        height(image_height) {}

  ImageView view() const { return {pixels.data(), width, height}; }
  bool empty() const { return pixels.empty(); }
  std::uint8_t& at(int x, int y) {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                  static_cast<std::size_t>(x)];
  }
};

// A picture as an eye compares it: the brightness in full, the colours in less detail.
struct ColourImage {
  // Each colour is the mean of a square this wide, px; the rest of a side has none.
  static constexpr int kColourPx = 4;

  int full_width = 0;  // px of the file; `brightness` may be reduced
  int full_height = 0;
  GrayImage brightness;
  GrayImage alpha{};  // 0: transparent; as large as `brightness`, empty if all is opaque
  int colour_width = 0;
  int colour_height = 0;
  std::vector<std::uint8_t> colours{};  // [colour_height][colour_width][3], blue, green, red

  bool empty() const { return brightness.empty(); }
  std::size_t size_bytes() const {
    return brightness.pixels.size() + alpha.pixels.size() + colours.size();
  }
};

// Interpolates between the four pixels around (x, y), which is clamped to the image. at(x, y)
// returns a pixel as a double. width and height are at least 1.
template <typename At>
double bilinear(const At& at, int width, int height, double x, double y) {
  x = std::clamp(x, 0.0, width - 1.0);
  y = std::clamp(y, 0.0, height - 1.0);
  const int left = static_cast<int>(x);
  const int top = static_cast<int>(y);
  const int right = std::min(left + 1, width - 1);
  const int bottom = std::min(top + 1, height - 1);
  return std::lerp(std::lerp(at(left, top), at(right, top), x - left),
                   std::lerp(at(left, bottom), at(right, bottom), x - left), y - top);
}

// Copies a part of an image, which must lie inside it.
inline GrayImage crop(const ImageView& image, int left, int top, int width, int height) {
  GrayImage part(width, height);
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* row = image.pixels + (top + y) * std::ptrdiff_t{image.width} + left;
    std::copy(row, row + width, part.pixels.data() + y * std::ptrdiff_t{width});
  }
  return part;
}

}  // namespace lookalike
