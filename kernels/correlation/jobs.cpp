// Pairs of the correlation, packed for the device.
#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <tuple>

#include "kernels/correlation/window_products.h"
#include "kernels/session/build_options.h"

namespace lookalike {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{512} << 20;

constexpr std::size_t kMaxPatternPixels = std::size_t{1} << 24;
constexpr int kMaxPatternWidth = (1 << 16) - 1;

// Rows of images start at multiples of this, so that GPUs can read words.
constexpr std::size_t kImagePitchStep = 16;
// Bytes past the end of an image that kernels may read, in whole vectors.
constexpr std::size_t kImageReadAhead = 512;
// Rows of maps and sums start at multiples of this, the longest vector of any kernel.
constexpr std::size_t kMapPitchStep = 32;

bool same_image(const CorrelationPair& a, const CorrelationPair& b) {
  return a.image.pixels == b.image.pixels && a.image.width == b.image.width &&
         a.image.height == b.image.height;
}

CorrelationJob job_of(const CorrelationPair& pair) {
  CorrelationJob job;
  job.image_width = pair.image.width;
  job.image_height = pair.image.height;
  job.image_pitch = static_cast<cl_int>(round_up(to_size(pair.image.width), kImagePitchStep));
  job.pattern_width = pair.pattern.width;
  job.pattern_height = pair.pattern.height;
  job.pixels = static_cast<cl_long>(pair.pattern.size());
  job.map_width = pair.image.width - pair.pattern.width + 1;
  job.map_height = pair.image.height - pair.pattern.height + 1;
  job.pitch = static_cast<cl_int>(round_up(to_size(job.map_width), kMapPitchStep));
  return job;
}

std::size_t image_bytes(const CorrelationJob& job) {
  return to_size(job.image_pitch) * to_size(job.image_height);
}
std::size_t sum_count(const CorrelationJob& job) {
  return to_size(job.pitch) * to_size(job.image_height);
}
std::size_t map_count(const CorrelationJob& job) {
  return to_size(job.pitch) * to_size(job.map_height);
}

// Returns about how many bytes a pair takes on the device, without what it shares with the one
// before.
std::size_t device_bytes(const CorrelationPair& pair, const CorrelationPair* before, bool fused) {
  const CorrelationJob job = job_of(pair);
  std::size_t bytes = pair.pattern.size() * sizeof(cl_float) +
                      map_count(job) * (sizeof(cl_float) + (fused ? 0 : sizeof(cl_long)));
  const bool shared = before != nullptr && same_image(pair, *before);
  if (!shared) bytes += image_bytes(job);
  if (!shared || pair.pattern.width != before->pattern.width ||
      pair.pattern.height != before->pattern.height) {
    bytes +=
        sum_count(job) * 2 * sizeof(cl_int) + map_count(job) * (sizeof(cl_int) + sizeof(cl_double));
  }
  return bytes;
}

void append_image(const ImageView& image, CorrelationJob& job, std::vector<std::uint8_t>& images) {
  job.image = images.size();
  images.resize(images.size() + image_bytes(job));
  for (int y = 0; y < image.height; ++y) {
    std::copy_n(image.pixels + to_size(y) * to_size(image.width), image.width,
                images.data() + job.image + to_size(y) * to_size(job.image_pitch));
  }
}

// Appends the pixels less 128 between margins, and puts their sums into the job.
void append_pattern(const ImageView& pattern, const CorrelationLayout& layout, CorrelationJob& job,
                    std::vector<std::uint8_t>& patterns) {
  const std::size_t width = to_size(pattern.width);
  const std::size_t pitch = round_up(width, to_size(layout.pitch_step));
  const std::size_t rows = to_size(pattern.height + 2 * layout.margin_rows);
  const std::size_t value_bytes = layout.float_patterns ? sizeof(cl_float) : 1;
  const std::size_t begin = patterns.size();
  job.pattern = begin / value_bytes;
  job.pattern_pitch = static_cast<cl_int>(pitch);
  patterns.resize(begin + rows * pitch * value_bytes);
  cl_long square = 0;
  for (std::size_t y = 0; y < to_size(pattern.height); ++y) {
    const std::uint8_t* from = pattern.pixels + y * width;
    std::uint8_t* to =
        patterns.data() + begin + (to_size(layout.margin_rows) + y) * pitch * value_bytes;
    for (std::size_t x = 0; x < width; ++x) {
      const int value = from[x] - 128;
      job.pattern_sum += value;
      square += value * value;
      if (layout.float_patterns) {
        const auto real = static_cast<cl_float>(value);
        std::memcpy(to + x * sizeof(real), &real, sizeof(real));
      } else {
        to[x] = static_cast<std::uint8_t>(value);
      }
    }
  }
  job.pattern_spread = job.pixels * square - job.pattern_sum * job.pattern_sum;
}

using Blocks = std::array<cl_uint, 4>;  // by BlockKind

cl_uint blocks(int size, int block) {
  return static_cast<cl_uint>(parts(size, block));
}

template <typename Count>
JobRange append_jobs(std::vector<CorrelationJob>& all, std::vector<CorrelationJob>& jobs,
                     const Count& blocks_of) {
  JobRange range{all.size(), jobs.size(), {}};
  for (CorrelationJob& job : jobs) {
    job.first = range.blocks;
    const Blocks more = blocks_of(job);
    for (std::size_t kind = 0; kind < more.size(); ++kind) {
      require(more[kind] <= std::numeric_limits<cl_uint>::max() - range.blocks[kind],
              "correlation: too many blocks in one launch");
      range.blocks[kind] += more[kind];
    }
    all.push_back(job);
  }
  return range;
}

}  // namespace

void check_pair(const CorrelationPair& pair) {
  const auto& [image, pattern] = pair;
  const bool fits = !pattern.empty() && pattern.width <= image.width &&
                    pattern.height <= image.height && pattern.size() <= kMaxPatternPixels &&
                    pattern.width <= kMaxPatternWidth;
  if (fits) return;
  const auto size_of = [](const ImageView& view) {
    return std::to_string(view.width) + " x " + std::to_string(view.height);
  };
  throw Error(ErrorKind::kInternal,
              "correlation: a pattern must have pixels, at most 2^24 and 65535 in a row, and "
              "fit into its image, was " +
                  size_of(pattern) + " in " + size_of(image));
}

std::size_t fitting(std::span<const CorrelationPair> pairs, bool fused) {
  std::size_t taken = device_bytes(pairs.front(), nullptr, fused);
  std::size_t count = 1;
  while (count < pairs.size()) {
    taken += device_bytes(pairs[count], &pairs[count - 1], fused);
    if (taken > kBatchBytes) break;
    ++count;
  }
  return count;
}

CorrelationJobs pack_jobs(std::span<const CorrelationPair> pairs, const CorrelationLayout& layout,
                          const CorrelationSteps& steps) {
  CorrelationJobs packed;
  std::vector<CorrelationJob> maps;
  std::vector<CorrelationJob> windows;
  std::map<std::tuple<cl_ulong, int, int>, cl_ulong> statistics;  // by image and pattern's size
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    CorrelationJob job = job_of(pairs[i]);
    if (i > 0 && same_image(pairs[i - 1], pairs[i])) {
      job.image = maps.back().image;
    } else {
      append_image(pairs[i].image, job, packed.images);
    }
    const auto [found, is_new] = statistics.try_emplace(
        {job.image, job.pattern_width, job.pattern_height}, packed.statistic_count);
    job.statistics = found->second;
    if (is_new) {
      windows.push_back(job);
      windows.back().sums = packed.sum_count;
      packed.sum_count += sum_count(job);
      packed.statistic_count += map_count(job);
    }
    append_pattern(pairs[i].pattern, layout, job, packed.patterns);
    job.map = packed.map_count;
    packed.map_count += map_count(job);
    maps.push_back(job);
  }
  packed.images.resize(packed.images.size() + kImageReadAhead);
  packed.maps = append_jobs(packed.jobs, maps, [&](const CorrelationJob& job) {
    const auto rows = static_cast<cl_uint>(job.map_height);
    return Blocks{
        blocks(job.map_width, layout.tile_width) * blocks(job.map_height, layout.tile_height), rows,
        rows * blocks(job.map_width, steps.run), 0};
  });
  packed.windows = append_jobs(packed.jobs, windows, [&](const CorrelationJob& job) {
    return Blocks{
        0, 0, static_cast<cl_uint>(job.image_height) * blocks(job.map_width, steps.segment),
        blocks(job.map_width, steps.vector_width) * blocks(job.map_height, steps.column_rows)};
  });
  return packed;
}

}  // namespace lookalike
