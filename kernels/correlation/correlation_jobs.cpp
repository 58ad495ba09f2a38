#include "kernels/correlation/correlation_jobs.h"

#include <algorithm>
#include <limits>
#include <string>

#include "kernels/session/session.h"
#include "pipeline/error.h"

namespace lookalike {
namespace {

constexpr std::size_t kMaxPatternPixels = std::size_t{1} << 24;
constexpr int kMaxPatternWidth = (1 << 17) - 1;

// Rows of maps and sums start at multiples of this, so that a whole tile of any kernel fits in.
constexpr std::size_t kPitchStep = 32;

// Kernels read whole vectors, so up to this many pixels past the end of the last image.
constexpr std::size_t kReadAhead = 256;

int map_width(const CorrelationPair& pair) {
  return pair.image.width - pair.pattern.width + 1;
}
int map_height(const CorrelationPair& pair) {
  return pair.image.height - pair.pattern.height + 1;
}

std::size_t pitch_of(const CorrelationPair& pair) {
  return round_up(static_cast<std::size_t>(map_width(pair)), kPitchStep);
}

std::size_t blocks(int size, int block) {
  return (static_cast<std::size_t>(size) + static_cast<std::size_t>(block) - 1) /
         static_cast<std::size_t>(block);
}

std::string size_of(const ImageView& image) {
  return std::to_string(image.width) + " x " + std::to_string(image.height);
}

// Appends the pattern, less 128, between its margins, and sets what the job says of it.
void pack_pattern(const ImageView& pattern, std::size_t margin_rows, CorrelationJob& job,
                  std::vector<float>& patterns) {
  const std::size_t margin = margin_rows * static_cast<std::size_t>(pattern.width);
  job.pattern = patterns.size();
  patterns.resize(patterns.size() + pattern.size() + 2 * margin);
  float* out = patterns.data() + job.pattern + margin;
  cl_long square = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const cl_long pixel = pattern.pixels[i] - 128;
    out[i] = static_cast<float>(pixel);
    job.pattern_sum += pixel;
    square += pixel * pixel;
  }
  const auto pixels = static_cast<cl_long>(pattern.size());
  job.pattern_spread = pixels * square - job.pattern_sum * job.pattern_sum;
}

void pack_image(const ImageView& image, CorrelationJob& job, std::vector<std::uint8_t>& images) {
  job.image = images.size();
  images.insert(images.end(), image.pixels, image.pixels + image.size());
}

void count_blocks(const CorrelationJob& job, const CorrelationLayout& layout,
                  CorrelationJobs& packed) {
  packed.row_blocks.add(static_cast<std::size_t>(job.image_height) *
                        blocks(job.map_width, layout.segment));
  packed.tile_blocks.add(blocks(job.map_width, layout.tile_width) *
                         blocks(job.map_height, layout.tile_height));
  packed.normalise_blocks.add(blocks(job.map_width, layout.vector_width) *
                              blocks(job.map_height, layout.column_rows));
  packed.map_rows.add(static_cast<std::size_t>(job.map_height));
}

}  // namespace

void BlockCounts::add(std::size_t blocks) {
  const std::size_t end = total() + blocks;
  require(end <= std::numeric_limits<cl_uint>::max(), "correlation: too many blocks in one launch");
  first.push_back(static_cast<cl_uint>(end));
}

void check_pair(const CorrelationPair& pair) {
  const auto& [image, pattern] = pair;
  const bool fits = !pattern.empty() && pattern.width <= image.width &&
                    pattern.height <= image.height && pattern.size() <= kMaxPatternPixels &&
                    pattern.width <= kMaxPatternWidth;
  if (fits) return;
  throw Error(ErrorKind::kInternal,
              "correlation: a pattern must have pixels, at most 2^24, and fit "
              "into its image, was " +
                  size_of(pattern) + " in " + size_of(image));
}

std::size_t device_bytes(const CorrelationPair& pair) {
  const std::size_t pitch = pitch_of(pair);
  const std::size_t sums = static_cast<std::size_t>(pair.image.height) * pitch;
  const std::size_t positions = static_cast<std::size_t>(map_height(pair)) * pitch;
  return pair.image.size() + pair.pattern.size() * sizeof(float) + sums * 2 * sizeof(cl_int) +
         positions * (sizeof(cl_long) + sizeof(cl_float));
}

CorrelationJobs pack_jobs(std::span<const CorrelationPair> pairs, const CorrelationLayout& layout) {
  CorrelationJobs packed;
  for (const CorrelationPair& pair : pairs) {
    CorrelationJob job;
    job.image_width = pair.image.width;
    job.image_height = pair.image.height;
    job.pattern_width = pair.pattern.width;
    job.pattern_height = pair.pattern.height;
    job.map_width = map_width(pair);
    job.map_height = map_height(pair);
    job.pitch = static_cast<cl_int>(pitch_of(pair));
    job.sums = packed.sum_count;
    job.map = packed.map_count;
    packed.sum_count += static_cast<std::size_t>(pair.image.height) * pitch_of(pair);
    packed.map_count += static_cast<std::size_t>(job.map_height) * pitch_of(pair);
    pack_image(pair.image, job, packed.images);
    pack_pattern(pair.pattern, static_cast<std::size_t>(layout.pattern_margin), job,
                 packed.patterns);
    count_blocks(job, layout, packed);
    packed.jobs.push_back(job);
  }
  packed.images.resize(packed.images.size() + kReadAhead);
  return packed;
}

}  // namespace lookalike
