#include "kernels/surf/surf_batch.h"

#include <algorithm>

namespace lookalike {
namespace {

// Photos have a keypoint per 100 to 1000 pixels at the usual threshold of 100.
constexpr std::size_t kPixelsPerPlace = 32;
constexpr std::size_t kFewestPlaces = 64;

void raise(std::size_t& most, std::size_t value) {
  most = std::max(most, value);
}

}  // namespace

void SurfBatchSize::add(const SurfPlan& plan, bool masked) {
  const auto width = static_cast<std::size_t>(plan.width);
  const auto height = static_cast<std::size_t>(plan.height);
  pixels += width * height;
  mask_pixels += masked ? width * height : 0;
  integral_values += (width + 1) * (height + 1);
  map_values += plan.map_values;
  raise(most_columns, width);
  raise(most_rows, height);
  raise(most_sample_rows, plan.sample_rows);
  raise(most_search_rows, plan.search_rows);
}

std::size_t SurfBatchSize::bytes() const {
  return pixels * (1 + sizeof(std::uint32_t)) + mask_pixels +
         integral_values * sizeof(std::int32_t) + map_values * sizeof(float);
}

void SurfBatch::add(const SurfPlan& plan, bool masked) {
  SurfImage image;
  image.pixels = static_cast<std::int64_t>(size.pixels);
  image.mask = masked ? static_cast<std::int64_t>(size.mask_pixels) : -1;
  image.integral = static_cast<std::int64_t>(size.integral_values);
  image.maps = static_cast<std::int64_t>(size.map_values);
  image.width = plan.width;
  image.height = plan.height;
  image.layer_count = static_cast<std::int32_t>(plan.layers.size());
  image.sample_rows = static_cast<std::int32_t>(plan.sample_rows);
  image.search_rows = static_cast<std::int32_t>(plan.search_rows);
  const auto twin = std::find_if(images.begin(), images.end(), [&](const SurfImage& other) {
    return other.width == image.width && other.height == image.height;
  });
  if (twin == images.end()) {
    image.first_layer = static_cast<std::int32_t>(layers.size());
    layers.insert(layers.end(), plan.layers.begin(), plan.layers.end());
  } else {
    image.first_layer = twin->first_layer;
  }
  images.push_back(image);
  size.add(plan, masked);
}

void SurfBatch::give_places(std::span<const std::int32_t> counts) {
  places = 0;
  for (std::size_t i = 0; i < images.size(); ++i) {
    SurfImage& image = images[i];
    const std::size_t pixels =
        static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
    std::size_t capacity = std::max(kFewestPlaces, pixels / kPixelsPerPlace);
    if (!counts.empty()) raise(capacity, static_cast<std::size_t>(counts[i]));
    image.places = static_cast<std::int64_t>(places);
    image.capacity = static_cast<std::int64_t>(capacity);
    places += capacity;
  }
}

bool SurfBatch::holds(std::span<const std::int32_t> counts) const {
  return std::equal(
      images.begin(), images.end(), counts.begin(),
      [](const SurfImage& image, std::int32_t count) { return count <= image.capacity; });
}

}  // namespace lookalike
