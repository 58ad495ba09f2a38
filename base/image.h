#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lookalike {

// An 8-bit grey image that somebody else owns: pixels [height][width], no padding between rows.
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

}  // namespace lookalike
