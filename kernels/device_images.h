#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/image.h"
#include "kernels/session/session.h"

namespace lookalike {

// Returns the mean grey level of every eighth row, rounded; 0 for an empty image.
int mean_level(const ImageView& image);

// Grey images of any sizes side by side in device memory, uploaded once for all kernels that read
// them. The memory is reused by the next images and grows to the largest batch.
class DeviceImages {
 public:
  // Images begin at multiples of this in pixels(), so that kernels may load whole blocks.
  static constexpr std::size_t kAlignment = 16;

  struct Place {
    std::int32_t width = 0;
    std::int32_t height = 0;
    std::size_t pixels = 0;  // its first pixel in pixels(), row after row
    std::int64_t mask = -1;  // its mask's first pixel in masks(); -1: none
    int level = 0;           // mean_level()

    std::size_t size() const { return ImageView{nullptr, width, height}.size(); }
  };

  explicit DeviceImages(OpenClSession& session) : session_(session) {}

  // Replaces the images.
  //   masks  empty, or one per image, each empty (the whole image counts) or of the image's size
  // Throws Error(kInternal) on mismatched masks, Error(kDevice) when a copy fails, and
  // DeviceOutOfMemory, after which no memory is held. After any of them there are no images.
  void upload(std::span<const ImageView> images, std::span<const ImageView> masks = {});

  std::span<const Place> places() const { return places_; }
  std::size_t size() const { return places_.size(); }
  const cl::Buffer& pixels() const { return pixels_.buffer; }
  const cl::Buffer& masks() const { return masks_.buffer; }

 private:
  OpenClSession& session_;
  std::vector<Place> places_;
  GrowingBuffer pixels_;
  GrowingBuffer masks_;
};

}  // namespace lookalike
