#include "kernels/correlation/correlation_jobs.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <tuple>

#include "base/error.h"
#include "kernels/session/build_options.h"
#include "kernels/session/session.h"

namespace lookalike {
namespace {

constexpr std::size_t kMaxPatternPixels = std::size_t{1} << 24;
constexpr int kMaxPatternWidth = (1 << 16) - 1;

// Rows of maps and sums start at multiples of this, so that whole vectors of any kernel fit in.
constexpr std::size_t kPitchStep = 32;

std::size_t map_pitch(const CorrelationItem& item) {
  const int positions = item.image.width - item.pattern.width + 1;
  return round_up(static_cast<std::size_t>(positions), kPitchStep);
}

std::size_t map_size(const CorrelationItem& item) {
  return map_pitch(item) * static_cast<std::size_t>(item.image.height - item.pattern.height + 1);
}

cl_uint blocks(int size, int block) {
  return static_cast<cl_uint>(parts(size, block));
}

std::string size_of(int width, int height) {
  return std::to_string(width) + " x " + std::to_string(height);
}

CorrelationJob job_of(const CorrelationItem& item) {
  CorrelationJob job;
  job.image = item.image.offset;
  job.image_width = item.image.width;
  job.image_height = item.image.height;
  job.image_pitch = item.image.pitch;
  job.pattern_width = item.pattern.width;
  job.pattern_height = item.pattern.height;
  job.pixels = static_cast<cl_long>(item.pattern.size());
  job.map_width = item.image.width - item.pattern.width + 1;
  job.map_height = item.image.height - item.pattern.height + 1;
  job.pitch = static_cast<cl_int>(map_pitch(item));
  return job;
}

// Gathers jobs and what they share.
class Packer {
 public:
  Packer(const CorrelationLayout& layout, const CorrelationSteps& steps)
      : layout_(layout), steps_(steps) {}

  void add(const CorrelationItem& item) {
    CorrelationJob job = job_of(item);
    const CorrelationJob& window =
        item.mask.empty() ? windows_[window_of(item)] : masks_[mask_of(item)];
    job.statistics = window.statistics;
    job.pixels = window.pixels;
    pack_values(
        item, [&](std::size_t i) { return item.pattern.pixels[i] - 128; }, job);
    job.map = packed_.map_count;
    packed_.map_count += map_size(item);
    maps_.push_back(job);
  }

  CorrelationJobs finish() {
    packed_.product_count = std::max(packed_.map_count, mask_product_count_);
    packed_.maps = append(maps_, [&](const CorrelationJob& job) {
      return Blocks{tiles(job), height(job), height(job) * blocks(job.map_width, steps_.run), 0};
    });
    packed_.windows = append(windows_, [&](const CorrelationJob& job) {
      return Blocks{
          0, 0, static_cast<cl_uint>(job.image_height) * blocks(job.map_width, steps_.segment),
          blocks(job.map_width, steps_.vector_width) * blocks(job.map_height, steps_.column_rows)};
    });
    packed_.masks = append(masks_, [&](const CorrelationJob& job) {
      return Blocks{0, 0, height(job) * blocks(job.map_width, steps_.run), 0};
    });
    packed_.mask_products = append(mask_products_, [&](const CorrelationJob& job) {
      return Blocks{tiles(job), 0, 0, 0};
    });
    return std::move(packed_);
  }

 private:
  using Blocks = std::array<cl_uint, 4>;
  using Key = std::tuple<std::size_t, const std::uint8_t*, int, int>;

  static cl_uint height(const CorrelationJob& job) { return static_cast<cl_uint>(job.map_height); }
  cl_uint tiles(const CorrelationJob& job) const {
    return blocks(job.map_width, layout_.tile_width) * blocks(job.map_height, layout_.tile_height);
  }

  std::size_t window_of(const CorrelationItem& item) {
    const Key key = {item.image.offset, nullptr, item.pattern.width, item.pattern.height};
    const auto [found, is_new] = window_indices_.emplace(key, windows_.size());
    if (is_new) {
      CorrelationJob job = job_of(item);
      job.sums = packed_.sum_count;
      job.statistics = packed_.statistic_count;
      packed_.sum_count += static_cast<std::size_t>(item.image.height) * map_pitch(item);
      packed_.statistic_count += map_size(item);
      windows_.push_back(job);
    }
    return found->second;
  }

  std::size_t mask_of(const CorrelationItem& item) {
    const Key key = {item.image.offset, item.mask.pixels, item.pattern.width, item.pattern.height};
    const auto [found, is_new] = mask_indices_.emplace(key, masks_.size());
    if (is_new) {
      CorrelationJob job = job_of(item);
      pack_values(
          item, [](std::size_t /*pixel*/) { return 1; }, job);
      job.pixels = job.pattern_sum;
      job.statistics = packed_.statistic_count;
      job.map = mask_product_count_;
      packed_.statistic_count += map_size(item);
      masks_.push_back(job);
      for (int plane = 0; plane < 3; ++plane) {
        mask_products_.push_back(job);
        job.image += item.image.plane_bytes;
        job.map += map_size(item);
      }
      mask_product_count_ += 3 * map_size(item);
    }
    return found->second;
  }

  // Appends value(i) of each pixel that counts, between margins, and sums them up in the job.
  template <typename Value>
  void pack_values(const CorrelationItem& item, const Value& value, CorrelationJob& job) {
    const auto width = static_cast<std::size_t>(item.pattern.width);
    const auto height = static_cast<std::size_t>(item.pattern.height);
    const auto margin = static_cast<std::size_t>(layout_.margin_rows);
    const std::size_t pitch = round_up(width, static_cast<std::size_t>(layout_.pitch_step));
    const std::size_t value_bytes = layout_.float_patterns ? sizeof(cl_float) : 1;
    job.pattern = packed_.patterns.size() / value_bytes;
    job.pattern_pitch = static_cast<cl_int>(pitch);
    packed_.patterns.resize(packed_.patterns.size() + (height + 2 * margin) * pitch * value_bytes);
    cl_long square = 0;
    std::vector<int> row(width);
    for (std::size_t y = 0; y < height; ++y) {
      for (std::size_t x = 0; x < width; ++x) row[x] = value(y * width + x);
      if (!item.mask.empty()) leave_out(item.mask.pixels + y * width, row);
      for (const int one : row) {
        job.pattern_sum += one;
        square += std::int64_t{one} * one;
      }
      store(job.pattern + (margin + y) * pitch, row);
    }
    job.pattern_spread = job.pixels * square - job.pattern_sum * job.pattern_sum;
  }

  static void leave_out(const std::uint8_t* mask, std::vector<int>& row) {
    for (std::size_t x = 0; x < row.size(); ++x) row[x] = mask[x] == 0 ? 0 : row[x];
  }

  void store(std::size_t index, const std::vector<int>& row) {
    if (layout_.float_patterns) {
      const std::vector<cl_float> reals(row.begin(), row.end());
      std::memcpy(packed_.patterns.data() + index * sizeof(cl_float), reals.data(),
                  reals.size() * sizeof(cl_float));
    } else {
      std::transform(row.begin(), row.end(), packed_.patterns.data() + index,
                     [](int value) { return static_cast<std::uint8_t>(value); });
    }
  }

  template <typename Count>
  JobRange append(std::vector<CorrelationJob>& jobs, const Count& count) {
    JobRange range{packed_.jobs.size(), jobs.size(), {}};
    for (CorrelationJob& job : jobs) {
      job.first = range.blocks;
      const Blocks more = count(job);
      for (std::size_t kind = 0; kind < more.size(); ++kind) {
        require(more[kind] <= std::numeric_limits<cl_uint>::max() - range.blocks[kind],
                "correlation: too many blocks in one launch");
        range.blocks[kind] += more[kind];
      }
      packed_.jobs.push_back(job);
    }
    return range;
  }

  const CorrelationLayout& layout_;
  const CorrelationSteps& steps_;
  CorrelationJobs packed_;
  std::vector<CorrelationJob> maps_, windows_, masks_, mask_products_;
  std::map<Key, std::size_t> window_indices_, mask_indices_;
  std::size_t mask_product_count_ = 0;
};

}  // namespace

void check_item(const CorrelationItem& item) {
  const auto& [image, pattern, mask] = item;
  const bool fits = !pattern.empty() && pattern.width <= image.width &&
                    pattern.height <= image.height && pattern.size() <= kMaxPatternPixels &&
                    pattern.width <= kMaxPatternWidth;
  if (!fits) {
    throw Error(ErrorKind::kInternal,
                "correlation: a pattern must have pixels, at most 2^24 and 65535 in a row, and "
                "fit into its image, was " +
                    size_of(pattern.width, pattern.height) + " in " +
                    size_of(image.width, image.height));
  }
  if (mask.empty() || (mask.width == pattern.width && mask.height == pattern.height)) return;
  throw Error(ErrorKind::kInternal, "correlation: a mask must have its pattern's size, " +
                                        size_of(pattern.width, pattern.height) + ", was " +
                                        size_of(mask.width, mask.height));
}

std::size_t device_bytes(const CorrelationItem& item, const CorrelationItem* before, bool fused) {
  const bool masked = !item.mask.empty();
  const bool shared = before != nullptr && item.image.offset == before->image.offset &&
                      item.mask.pixels == before->mask.pixels &&
                      item.pattern.width == before->pattern.width &&
                      item.pattern.height == before->pattern.height;
  const std::size_t sums = static_cast<std::size_t>(item.image.height) * map_pitch(item);
  const std::size_t statistics = sums * 2 * sizeof(cl_int) +
                                 map_size(item) * (sizeof(cl_int) + sizeof(cl_double)) +
                                 (masked ? map_size(item) * 3 * sizeof(cl_long) : 0);
  return item.pattern.size() * sizeof(cl_float) + (shared ? 0 : statistics) +
         map_size(item) * (sizeof(cl_float) + (fused && !masked ? 0 : sizeof(cl_long)));
}

CorrelationJobs pack_jobs(std::span<const CorrelationItem> items, const CorrelationLayout& layout,
                          const CorrelationSteps& steps) {
  Packer packer(layout, steps);
  for (const CorrelationItem& item : items) packer.add(item);
  return packer.finish();
}

}  // namespace lookalike
