#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/image.h"
#include "kernels/session/opencl.h"

namespace lookalike {

// An image in device memory: rows of `pitch` bytes from `offset` on. `plane_bytes` further on lie
// the low bytes of its squared pixels and as far again the high bytes, when masks need them.
struct PlacedImage {
  std::size_t offset = 0;
  std::size_t plane_bytes = 0;
  int width = 0;
  int height = 0;
  int pitch = 0;
};

// A pattern to look for in an image. The mask may be empty; else it has the pattern's size, and
// pixels where it is zero do not count.
struct CorrelationItem {
  PlacedImage image;
  ImageView pattern;
  ImageView mask;
};

// How a form of the products wants patterns, and how much of a map a block of its launches covers.
struct CorrelationLayout {
  bool float_patterns = false;  // else 8-bit integers
  int margin_rows = 0;          // rows of zeros above and below each pattern
  int pitch_step = 1;           // rows of patterns are zero-padded to a multiple of this
  int tile_width = 0;           // positions of a tile
  int tile_height = 0;
};

// How much a block of the other launches covers, those for statistics and normalisation.
struct CorrelationSteps {
  int segment = 0;       // positions of a run of an image row
  int run = 0;           // positions of a run of a map's row
  int vector_width = 0;  // columns and rows of a block of columns
  int column_rows = 0;
};

// As in job.cl, which says what each field is.
struct CorrelationJob {
  cl_ulong image = 0;
  cl_ulong pattern = 0;
  cl_ulong sums = 0;
  cl_ulong statistics = 0;
  cl_ulong map = 0;
  cl_long pixels = 0;
  cl_long pattern_sum = 0;
  cl_long pattern_spread = 0;
  std::array<cl_uint, 4> first{};
  cl_int image_width = 0;
  cl_int image_height = 0;
  cl_int image_pitch = 0;
  cl_int pattern_width = 0;
  cl_int pattern_height = 0;
  cl_int pattern_pitch = 0;
  cl_int map_width = 0;
  cl_int map_height = 0;
  cl_int pitch = 0;
  cl_int unused = 0;
};

// Indices into CorrelationJob::first.
enum class BlockKind : std::size_t { kTiles, kRows, kRuns, kColumns };

// Jobs side by side in CorrelationJobs::jobs, and the blocks that they have in each kind of launch.
struct JobRange {
  std::size_t first = 0;
  std::size_t count = 0;
  std::array<cl_uint, 4> blocks{};

  std::size_t total(BlockKind kind) const { return blocks[static_cast<std::size_t>(kind)]; }
};

// Items packed for the device. Items that share image and pattern size share the statistics of
// their windows, and so do those that share image and mask.
struct CorrelationJobs {
  std::vector<CorrelationJob> jobs;
  JobRange maps;           // one an item, in order
  JobRange windows;        // statistics without a mask
  JobRange masks;          // statistics under a mask
  JobRange mask_products;  // three a mask: with the pixels and both bytes of their squares
  std::vector<std::uint8_t> patterns;
  std::size_t sum_count = 0;        // elements of the row sums
  std::size_t statistic_count = 0;  // elements of the window statistics
  std::size_t map_count = 0;        // elements of the maps
  std::size_t product_count = 0;    // elements of the products of maps or of masks
};

// Throws Error(kInternal) when the pattern is empty, larger than the image, past what the kernels'
// integers hold (2^24 pixels, 2^16 - 1 columns) or differs in size from its mask.
void check_item(const CorrelationItem& item);

// Bytes that the item takes on the device, about, beside its image and what it shares with the item
// before it, if there is one. Fused forms keep no products.
std::size_t device_bytes(const CorrelationItem& item, const CorrelationItem* before, bool fused);

CorrelationJobs pack_jobs(std::span<const CorrelationItem> items, const CorrelationLayout& layout,
                          const CorrelationSteps& steps);

}  // namespace lookalike
