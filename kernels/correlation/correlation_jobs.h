#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/session/opencl.h"
#include "pipeline/image.h"

namespace lookalike {

// A pattern ("template" is taken in C++) and the image to look for it in.
struct CorrelationPair {
  ImageView image;
  ImageView pattern;
};

// How much of a map one block of each kernel covers, and what the kernels expect around patterns.
struct CorrelationLayout {
  int tile_width = 0;      // positions of one block of window_products
  int tile_height = 0;     //
  int pattern_margin = 0;  // rows of zeros above and below each pattern
  int segment = 0;         // positions of one block of row_sums
  int vector_width = 0;    // positions and rows of one block of normalise
  int column_rows = 0;     //
};

// As in job.cl, which says what each field is.
struct CorrelationJob {
  cl_ulong image = 0;
  cl_ulong pattern = 0;
  cl_ulong sums = 0;
  cl_ulong map = 0;
  cl_long pattern_sum = 0;
  cl_long pattern_spread = 0;
  cl_int image_width = 0;
  cl_int image_height = 0;
  cl_int pattern_width = 0;
  cl_int pattern_height = 0;
  cl_int map_width = 0;
  cl_int map_height = 0;
  cl_int pitch = 0;
  cl_int unused = 0;
};

// Job i has the blocks [first[i], first[i + 1]) of a launch.
struct BlockCounts {
  std::vector<cl_uint> first = {0};

  std::size_t total() const { return first.back(); }
  void add(std::size_t blocks);
};

// Pairs packed for the device.
struct CorrelationJobs {
  std::vector<CorrelationJob> jobs;
  std::vector<std::uint8_t> images;
  std::vector<float> patterns;
  std::size_t sum_count = 0;  // elements of the row sums of all jobs
  std::size_t map_count = 0;  // elements of the maps of all jobs
  BlockCounts row_blocks;
  BlockCounts tile_blocks;
  BlockCounts normalise_blocks;
  BlockCounts map_rows;
};

// Throws Error(kInternal) when the pattern is empty, larger than the image, or past what the
// kernels' integers hold: 2^24 pixels, 2^17 - 1 columns.
void check_pair(const CorrelationPair& pair);

// Bytes that the pair takes on the device, about.
std::size_t device_bytes(const CorrelationPair& pair);

CorrelationJobs pack_jobs(std::span<const CorrelationPair> pairs, const CorrelationLayout& layout);

}  // namespace lookalike
