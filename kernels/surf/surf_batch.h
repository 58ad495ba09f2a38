#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/image.h"
#include "kernels/surf/surf_plan.h"

namespace lookalike {

// An image of a batch, and where its parts begin in the buffers that the batch's images share.
// kernels/surf/common.cl declares the same structure.
struct SurfImage {
  std::int64_t pixels = 0;    // among pixels and among quads
  std::int64_t mask = -1;     // among the masks' pixels; -1: none
  std::int64_t integral = 0;  // among the values of integral images
  std::int64_t maps = 0;      // among the values of maps; SurfLayer::map counts from here
  std::int64_t places = 0;    // among the places for keypoints
  std::int64_t capacity = 0;  // places of this image
  std::int32_t width = 0;
  std::int32_t height = 0;
  std::int32_t first_layer = 0;  // among the batch's layers
  std::int32_t layer_count = 0;
  std::int32_t sample_rows = 0;  // of all its layers
  std::int32_t search_rows = 0;
};

// The extent of what is shared by images that go through the kernels together, and of the largest
// part that one of them has.
struct SurfBatchSize {
  std::size_t pixels = 0;
  std::size_t mask_pixels = 0;
  std::size_t integral_values = 0;
  std::size_t map_values = 0;
  std::size_t most_columns = 0;
  std::size_t most_rows = 0;
  std::size_t most_sample_rows = 0;
  std::size_t most_search_rows = 0;

  void add(const SurfPlan& plan, bool masked);
  // Device memory, apart from keypoints and descriptors.
  std::size_t bytes() const;
};

struct SurfBatch {
  std::vector<SurfImage> images;
  std::vector<SurfLayer> layers;  // images of one size share theirs
  SurfBatchSize size;
  std::size_t places = 0;

  // Appends an image of the plan's size.
  void add(const SurfPlan& plan, bool masked);
  // Gives each image places for as many keypoints as photos have at most, or for counts [images]
  // keypoints where those are more; counts may be empty.
  void give_places(std::span<const std::int32_t> counts);
  // Whether each image has places for its count.
  bool holds(std::span<const std::int32_t> counts) const;
};

}  // namespace lookalike
