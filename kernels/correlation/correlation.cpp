#include "kernels/correlation/correlation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

namespace lookalike {
namespace {

constexpr std::size_t kTiledGroupWidth = 32;
constexpr std::size_t kTiledGroupHeight = 8;
constexpr std::size_t kTiledGroupItems = kTiledGroupWidth * kTiledGroupHeight;
constexpr int kTiledRows = 4;  // positions of one work-item

// Of one work-item: rows of positions, and vectors of 16 positions in each. Of 4x2, 4x4, 6x2, 6x4
// and 8x2, this one took about the least processor time for 300 patterns of 24^2 in 48^2, and at
// most 5 % more than the least for 64^2 in 1024^2 and 1920x1080 (the cases of
// correlation_vs_opencv; PoCL 3.1, AMD EPYC with AVX-512, 2 cores).
constexpr int kVectorRows = 6;
constexpr int kVectorCount = 2;

// Pairs are taken together as long as they need no more device memory than this.
constexpr std::size_t kBatchBytes = std::size_t{256} << 20;

// See pair_sums.cl: 2^16 blocks of 8 pixels an item at most.
constexpr std::size_t kPairSums = 6;
constexpr std::size_t kMaxBlocksPerItem = std::size_t{1} << 16;
constexpr std::size_t kMaxItems = 4096;

constexpr std::size_t kGpuGroup = 64;

struct RowBest {
  cl_float correlation;
  cl_int x;
};

// The kernels write peaks as the caller gets them.
static_assert(sizeof(CorrelationPeak) == 3 * sizeof(cl_float));

bool use_tiled(const OpenClSession& session, CorrelationKernel kernel) {
  if (kernel != CorrelationKernel::kAuto) return kernel == CorrelationKernel::kTiled;
  return !session.is_cpu() && session.device().max_work_group_size >= kTiledGroupItems;
}

// A CPU takes long runs, so that sums are carried far; a GPU short ones, so that there are many.
CorrelationLayout layout_for(bool is_cpu, bool tiled) {
  CorrelationLayout layout;
  layout.tile_width = tiled ? static_cast<int>(kTiledGroupWidth) : 16 * kVectorCount;
  layout.tile_height = tiled ? static_cast<int>(kTiledGroupHeight) * kTiledRows : kVectorRows;
  layout.pattern_margin = tiled ? 0 : kVectorRows - 1;
  layout.segment = is_cpu ? 4096 : 32;
  layout.vector_width = is_cpu ? 8 : 2;
  layout.column_rows = is_cpu ? 256 : 32;
  return layout;
}

// How many of the first pairs need at most `bytes` on the device, but at least one.
std::size_t fitting(std::span<const CorrelationPair> pairs, std::size_t bytes) {
  std::size_t count = 0;
  std::size_t taken = 0;
  while (count < pairs.size()) {
    taken += device_bytes(pairs[count]);
    if (taken > bytes && count > 0) break;
    ++count;
  }
  return count;
}

std::string define(const char* name, int value) {
  return std::string(" -D") + name + "=" + std::to_string(value);
}

// n Sab - Sa Sb and its like, from sums that no image fits into memory to overflow.
__extension__ using Wide = __int128;

std::optional<float> correlation_of(const std::array<std::uint64_t, kPairSums>& sums) {
  const auto [count, sum_a, sum_b, square_a, square_b, product] = sums;
  const auto moment = [n = count](std::uint64_t both, std::uint64_t one, std::uint64_t other) {
    return static_cast<double>(static_cast<Wide>(n) * both - static_cast<Wide>(one) * other);
  };
  const double spread_a = moment(square_a, sum_a, sum_a);
  const double spread_b = moment(square_b, sum_b, sum_b);
  if (spread_a == 0 || spread_b == 0) return std::nullopt;
  const double rho = moment(product, sum_a, sum_b) / (std::sqrt(spread_a) * std::sqrt(spread_b));
  return static_cast<float>(std::clamp(rho, -1.0, 1.0));
}

}  // namespace

Correlation::Correlation(OpenClSession& session, const CorrelationOptions& options)
    : session_(session),
      tiled_(use_tiled(session, options.kernel)),
      layout_(layout_for(session.is_cpu(), tiled_)) {
  const char* products =
      tiled_ ? "correlation/tiled_products.cl" : "correlation/vector_products.cl";
  window_products_ = session.kernel({"correlation/job.cl", products}, "window_products",
                                    define("ROWS", tiled_ ? kTiledRows : kVectorRows) +
                                        define("VECTORS", kVectorCount) +
                                        define("PATTERN_MARGIN", layout_.pattern_margin));
  const std::string sizes = define("WIDTH", layout_.vector_width) +
                            define("SEGMENT", layout_.segment) +
                            define("COLUMN_ROWS", layout_.column_rows) +
                            (options.double_precision ? " -DDOUBLE_PRECISION" : "");
  const std::vector<std::string> normalise = {"correlation/job.cl", "correlation/normalise.cl"};
  row_sums_ = session.kernel(normalise, "row_sums", sizes);
  normalise_ = session.kernel(normalise, "normalise", sizes);
  const std::vector<std::string> peaks = {"correlation/job.cl", "correlation/peaks.cl"};
  best_of_rows_ = session.kernel(peaks, "best_of_rows");
  refine_ = session.kernel(peaks, "refine");
  pair_sums_ = session.kernel({"correlation/pair_sums.cl"}, "pair_sums");
}

std::vector<float> Correlation::map(const ImageView& image, const ImageView& pattern) {
  const CorrelationPair pair = {image, pattern};
  check_pair(pair);
  const CorrelationJobs jobs = pack_jobs({&pair, 1}, layout_);
  fill_maps(jobs);
  const CorrelationJob& job = jobs.jobs.front();
  const auto width = static_cast<std::size_t>(job.map_width);
  const auto height = static_cast<std::size_t>(job.map_height);
  const auto pitch = static_cast<std::size_t>(job.pitch);
  std::vector<float> map(pitch * height);
  session_.read<float>(map_.buffer, map);
  for (std::size_t y = 1; y < height; ++y) {
    std::copy_n(map.data() + y * pitch, width, map.data() + y * width);
  }
  map.resize(width * height);
  return map;
}

std::vector<std::optional<CorrelationPeak>> Correlation::best_matches(
    std::span<const CorrelationPair> pairs) {
  for (const CorrelationPair& pair : pairs) check_pair(pair);
  std::vector<std::optional<CorrelationPeak>> peaks;
  while (peaks.size() < pairs.size()) {
    const std::span<const CorrelationPair> rest = pairs.subspan(peaks.size());
    const std::span<const CorrelationPair> batch = rest.first(fitting(rest, kBatchBytes));
    for_each_batch(batch.size(), batch.size(), [&](std::size_t first, std::size_t count) {
      const CorrelationJobs jobs = pack_jobs(batch.subspan(first, count), layout_);
      fill_maps(jobs);
      const auto found = find_peaks(jobs);
      peaks.insert(peaks.end(), found.begin(), found.end());
    });
  }
  return peaks;
}

std::optional<float> Correlation::correlate(const ImageView& a, const ImageView& b,
                                            const ImageView& mask) {
  require(a.width == b.width && a.height == b.height,
          "Correlation::correlate: the images differ in size");
  require(mask.empty() || (mask.width == a.width && mask.height == a.height),
          "Correlation::correlate: the mask differs in size from the images");
  if (a.empty()) return std::nullopt;
  const std::size_t blocks = (a.size() + 7) / 8;
  const std::size_t items =
      round_up(std::max(std::min(blocks, kMaxItems), blocks / kMaxBlocksPerItem + 1), kGpuGroup);
  reserve(images_, blocks * 8);
  reserve(patterns_, blocks * 8);
  reserve(map_, blocks * 8);
  reserve(sums_, items * kPairSums * sizeof(cl_ulong));
  session_.write<std::uint8_t>(images_.buffer, {a.pixels, a.size()});
  session_.write<std::uint8_t>(patterns_.buffer, {b.pixels, b.size()});
  if (!mask.empty()) session_.write<std::uint8_t>(map_.buffer, {mask.pixels, mask.size()});
  set_arguments(pair_sums_, images_.buffer, patterns_.buffer, map_.buffer,
                static_cast<cl_int>(!mask.empty()), static_cast<cl_ulong>(a.size()), sums_.buffer);
  session_.launch(pair_sums_, "pair_sums", {items}, cl::NDRange(kGpuGroup));
  std::vector<cl_ulong> partial(items * kPairSums);
  session_.read<cl_ulong>(sums_.buffer, partial);
  std::array<std::uint64_t, kPairSums> sums{};
  for (std::size_t i = 0; i < partial.size(); ++i) sums[i % kPairSums] += partial[i];
  return correlation_of(sums);
}

void Correlation::reserve(Scratch& scratch, std::size_t bytes) {
  if (scratch.bytes >= bytes && scratch.bytes > 0) return;
  scratch = {};
  scratch = {session_.allocate(bytes), bytes};
}

template <typename T>
void Correlation::refill(Scratch& scratch, std::span<const T> values) {
  reserve(scratch, values.size_bytes());
  session_.write(scratch.buffer, values);
}

void Correlation::upload(const CorrelationJobs& jobs) {
  refill<CorrelationJob>(jobs_, jobs.jobs);
  refill<cl_uint>(row_blocks_, jobs.row_blocks.first);
  refill<cl_uint>(tile_blocks_, jobs.tile_blocks.first);
  refill<cl_uint>(normalise_blocks_, jobs.normalise_blocks.first);
  refill<cl_uint>(map_rows_, jobs.map_rows.first);
  refill<std::uint8_t>(images_, jobs.images);
  refill<float>(patterns_, jobs.patterns);
}

// Runs a kernel over its blocks, one work-item each; its first arguments are the jobs and `first`,
// the blocks of each.
template <typename... Outputs>
void Correlation::launch(cl::Kernel& kernel, const char* label, const BlockCounts& blocks,
                         const Scratch& first, const Outputs&... buffers) {
  set_arguments(kernel, jobs_.buffer, first.buffer, static_cast<cl_uint>(blocks.first.size() - 1),
                buffers.buffer...);
  session_.launch(kernel, label, {blocks.total()}, cl::NDRange(session_.is_cpu() ? 1 : kGpuGroup));
}

void Correlation::fill_maps(const CorrelationJobs& jobs) {
  upload(jobs);
  reserve(sums_, jobs.sum_count * sizeof(cl_int));
  reserve(squares_, jobs.sum_count * sizeof(cl_int));
  reserve(products_, jobs.map_count * sizeof(cl_long));
  reserve(map_, jobs.map_count * sizeof(cl_float));
  launch(row_sums_, "correlation row_sums", jobs.row_blocks, row_blocks_, images_, sums_, squares_);
  set_arguments(window_products_, jobs_.buffer, tile_blocks_.buffer,
                static_cast<cl_uint>(jobs.jobs.size()), images_.buffer, patterns_.buffer,
                products_.buffer);
  const cl::NDRange group =
      tiled_ ? cl::NDRange(kTiledGroupWidth, kTiledGroupHeight) : cl::NDRange(1, 1);
  session_.launch(window_products_, "correlation window_products",
                  {jobs.tile_blocks.total() * group.get()[0], group.get()[1]}, group);
  launch(normalise_, "correlation normalise", jobs.normalise_blocks, normalise_blocks_, sums_,
         squares_, products_, map_);
}

std::vector<std::optional<CorrelationPeak>> Correlation::find_peaks(const CorrelationJobs& jobs) {
  const std::size_t count = jobs.jobs.size();
  reserve(row_best_, jobs.map_rows.total() * sizeof(RowBest));
  reserve(peaks_, count * sizeof(CorrelationPeak));
  launch(best_of_rows_, "correlation best_of_rows", jobs.map_rows, map_rows_, map_, row_best_);
  set_arguments(refine_, jobs_.buffer, map_rows_.buffer, static_cast<cl_uint>(count), map_.buffer,
                row_best_.buffer, peaks_.buffer);
  session_.launch(refine_, "correlation refine", {count});
  std::vector<CorrelationPeak> found(count);
  session_.read<CorrelationPeak>(peaks_.buffer, found);
  std::vector<std::optional<CorrelationPeak>> peaks(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isnan(found[i].correlation)) peaks[i] = found[i];
  }
  return peaks;
}

}  // namespace lookalike
