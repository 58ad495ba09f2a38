#include "kernels/device_images.h"

#include <algorithm>
#include <numeric>

namespace lookalike {
namespace {

void check_masks(std::span<const ImageView> images, std::span<const ImageView> masks) {
  require(masks.empty() || masks.size() == images.size(),
          "DeviceImages: images and masks differ in number");
  for (std::size_t i = 0; i < masks.size(); ++i) {
    require(masks[i].empty() ||
                (masks[i].width == images[i].width && masks[i].height == images[i].height),
            "DeviceImages: an image and its mask differ in size");
  }
}

void copy_pixels(const ImageView& image, std::span<std::uint8_t> to) {
  std::copy_n(image.pixels, image.size(), to.begin());
}

}  // namespace

int mean_level(const ImageView& image) {
  if (image.empty()) return 0;
  constexpr int kRowStep = 8;
  std::uint64_t sum = 0;
  std::uint64_t count = 0;
  const auto width = static_cast<std::size_t>(image.width);
  for (int row = 0; row < image.height; row += kRowStep) {
    const std::uint8_t* pixels = image.pixels + static_cast<std::size_t>(row) * width;
    sum += std::accumulate(pixels, pixels + width, std::uint32_t{0});
    count += width;
  }
  return static_cast<int>((sum + count / 2) / count);
}

void DeviceImages::upload(std::span<const ImageView> images, std::span<const ImageView> masks) {
  check_masks(images, masks);
  places_.clear();
  std::vector<Place> places;
  std::size_t pixel_bytes = 0;
  std::size_t mask_bytes = 0;
  for (std::size_t i = 0; i < images.size(); ++i) {
    Place place{images[i].width, images[i].height, pixel_bytes};
    pixel_bytes += round_up(images[i].size(), kAlignment);
    if (!masks.empty() && !masks[i].empty()) {
      place.mask = static_cast<std::int64_t>(mask_bytes);
      mask_bytes += masks[i].size();
    }
    place.level = mean_level(images[i]);
    places.push_back(place);
  }
  try {
    pixels_.reserve(session_, pixel_bytes);
    masks_.reserve(session_, mask_bytes);
  } catch (const DeviceOutOfMemory&) {
    pixels_ = {};  // makes room for a smaller batch
    masks_ = {};
    throw;
  }
  session_.compose<std::uint8_t>(pixels_.buffer, pixel_bytes, [&](std::span<std::uint8_t> to) {
    for (std::size_t i = 0; i < images.size(); ++i) {
      copy_pixels(images[i], to.subspan(places[i].pixels));
    }
  });
  session_.compose<std::uint8_t>(masks_.buffer, mask_bytes, [&](std::span<std::uint8_t> to) {
    for (std::size_t i = 0; i < masks.size(); ++i) {
      if (places[i].mask < 0) continue;
      copy_pixels(masks[i], to.subspan(static_cast<std::size_t>(places[i].mask)));
    }
  });
  places_ = std::move(places);
}

}  // namespace lookalike
