#include "kernels/correlation/correlation.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/correlation/correlation_batches.h"
#include "kernels/tuning/tuning.h"

namespace lookalike {
namespace {

constexpr std::size_t kGpuGroup = 64;

struct RowBest {
  cl_float correlation;
  cl_int x;
};

// The kernels write peaks as the caller gets them.
static_assert(sizeof(CorrelationPeak) == 3 * sizeof(cl_float));

std::vector<CorrelationKernel> choice_of(OpenClSession& session, CorrelationKernel kernel) {
  if (kernel == CorrelationKernel::kAuto) return correlation_kernels(session);
  if (may_run(session, kernel)) return {kernel};
  throw Error(ErrorKind::kDevice, "correlation: " + session.device().name + " cannot run '" +
                                      std::string(to_string(kernel)) + "'");
}

// A CPU takes long runs, so that sums are carried far; a GPU short ones, so that there are many
// (of segments of 8, 16 and 32 and of 16 and 32 column rows the least time for 64^2 in 1920x1080,
// correlation_benchmark of commit 2d0115e, NVIDIA H200).
CorrelationSteps steps_for(bool is_cpu) {
  if (is_cpu) return {.segment = 4096, .run = 4096, .vector_width = 8, .column_rows = 256};
  return {.segment = 8, .run = 2, .vector_width = 2, .column_rows = 16};
}

}  // namespace

Correlation::Correlation(OpenClSession& session, const CorrelationOptions& options)
    : session_(session),
      doubles_(use_doubles(session, options.double_precision)),
      kernels_(choice_of(session, options.kernel)),
      steps_(steps_for(session.is_cpu())) {
  build_steps();
}

void Correlation::build_steps() {
  const std::string sizes = correlations_options(steps_.vector_width, doubles_) +
                            define("SEGMENT", steps_.segment) + define("RUN", steps_.run) +
                            define("COLUMN_ROWS", steps_.column_rows);
  const std::vector<std::string> statistics = {"correlation/job.cl", "correlation/correlations.cl",
                                               "correlation/statistics.cl"};
  row_sums_ = session_.kernel(statistics, "row_sums", sizes);
  window_statistics_ = session_.kernel(statistics, "window_statistics", sizes);
  masked_statistics_ = session_.kernel(statistics, "masked_statistics", sizes);
  square_planes_ = session_.kernel(statistics, "square_planes", sizes);
  normalise_ = session_.kernel(statistics, "normalise", sizes);
  const std::vector<std::string> peaks = {"correlation/job.cl", "correlation/peaks.cl"};
  const std::string group = define("GROUP", session_.is_cpu() ? 1 : kGpuGroup);
  best_of_rows_ = session_.kernel(peaks, "best_of_rows", group);
  refine_ = session_.kernel(peaks, "refine", group);
  pair_sums_ = session_.kernel({"correlation/pair_sums.cl"}, "pair_sums");
}

WindowProducts& Correlation::form_for(Items items) {
  const auto guesses = best_guess_first(kernels_, items, session_.is_cpu());
  const CorrelationKernel kernel =
      guesses.size() == 1
          ? guesses.front()
          : choose_variant(session_.tuning(), "correlation", tuning_sizes(items), guesses);
  std::unique_ptr<WindowProducts>& form = forms_[kernel];
  if (!form) form = make_window_products(session_, kernel, doubles_);
  return *form;
}

std::vector<float> Correlation::map(const ImageView& image, const ImageView& pattern) {
  const CorrelationPair pair = {image, pattern};
  const std::vector<CorrelationItem> items = place_pairs({&pair, 1});
  return read_map(fill_maps(items, images_.buffer, form_for(items)).jobs.front());
}

std::vector<float> Correlation::map(CorrelationImage& image, const CorrelationPattern& pattern) {
  const std::vector<CorrelationItem> items = items_in(image, {&pattern, 1});
  return read_map(fill_maps(items, image.planes_, form_for(items)).jobs.front());
}

CorrelationMaps Correlation::maps(CorrelationImage& image,
                                  std::span<const CorrelationPattern> patterns) {
  CorrelationMaps maps;
  if (patterns.empty()) return maps;
  const std::vector<CorrelationItem> items = items_in(image, patterns);
  const CorrelationJobs jobs = fill_maps(items, image.planes_, form_for(items));
  maps.values = map_.buffer;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const CorrelationJob& job = jobs.jobs[i];
    maps.places.push_back({job.map, job.map_width, job.map_height, job.pitch});
  }
  return maps;
}

Correlation::Peaks Correlation::best_matches(std::span<const CorrelationPair> pairs) {
  Peaks peaks;
  while (peaks.size() < pairs.size()) {
    const auto rest = pairs.subspan(peaks.size());
    const auto batch = rest.first(fitting(rest));
    for_each_batch(batch.size(), batch.size(), [&](std::size_t first, std::size_t count) {
      try {
        const std::vector<CorrelationItem> items = place_pairs(batch.subspan(first, count));
        const Peaks found = best_of(items, images_.buffer);
        peaks.insert(peaks.end(), found.begin(), found.end());
      } catch (const DeviceOutOfMemory&) {
        images_ = {};  // so that fewer need less
        throw;
      }
    });
  }
  return peaks;
}

Correlation::Peaks Correlation::best_matches(CorrelationImage& image,
                                             std::span<const CorrelationPattern> patterns) {
  return best_of(items_in(image, patterns), image.planes_);
}

// Pairs whose images are the same share a copy.
std::vector<CorrelationItem> Correlation::place_pairs(std::span<const CorrelationPair> pairs) {
  std::vector<CorrelationItem> items;
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const ImageView& image = pairs[i].image;
    const bool again = i > 0 && is_same_image(pairs[i - 1].image, image);
    const PlacedImage place = again ? items.back().image : place_image(image, bytes.size());
    items.push_back({place, pairs[i].pattern, {}});
    check_item(items.back());
    if (!again) pack_image(image, place, bytes);
  }
  bytes.resize(bytes.size() + kImageReadAhead);
  refill<std::uint8_t>(images_, bytes);
  return items;
}

std::vector<CorrelationItem> Correlation::items_in(CorrelationImage& image,
                                                   std::span<const CorrelationPattern> patterns) {
  std::vector<CorrelationItem> items;
  bool masked = false;
  for (const CorrelationPattern& pattern : patterns) {
    items.push_back({image.place_, pattern.pixels, pattern.mask});
    check_item(items.back());
    masked = masked || !pattern.mask.empty();
  }
  if (masked && !image.has_squares_) make_squares(image);
  return items;
}

void Correlation::make_squares(CorrelationImage& image) {
  set_arguments(square_planes_, image.planes_, static_cast<cl_ulong>(image.place_.plane_bytes));
  session_.launch(square_planes_, "correlation square_planes", {image.place_.plane_bytes},
                  cl::NDRange(kGpuGroup));
  image.has_squares_ = true;
}

void Correlation::reserve(Scratch& scratch, std::size_t bytes) {
  if (scratch.bytes >= bytes && scratch.bytes > 0) return;
  scratch = {};
  scratch = {session_.allocate(bytes), bytes};
}

// After a batch that was too large, so that a smaller one needs less.
void Correlation::release_scratch() {
  for (Scratch* scratch : {&jobs_, &patterns_, &sums_, &squares_, &window_sums_, &inverses_,
                           &products_, &map_, &row_best_, &peaks_}) {
    *scratch = {};
  }
}

template <typename T>
void Correlation::refill(Scratch& scratch, std::span<const T> values) {
  reserve(scratch, values.size_bytes());
  session_.write(scratch.buffer, values);
}

// Runs a kernel over its blocks, one work-item each.
template <typename... Arguments>
void Correlation::launch_blocks(cl::Kernel& kernel, const char* label, const JobRange& range,
                                BlockKind kind, const Arguments&... arguments) {
  set_arguments(kernel, jobs_.buffer, to_uint(range.first), to_uint(range.count),
                to_uint(range.total(kind)), arguments...);
  session_.launch(kernel, label, {range.total(kind)},
                  cl::NDRange(session_.is_cpu() ? 1 : kGpuGroup));
}

// Leaves the correlations in map_.
CorrelationJobs Correlation::fill_maps(Items items, const cl::Buffer& images,
                                       WindowProducts& form) {
  CorrelationJobs jobs = pack_jobs(items, form.layout(), steps_);
  refill<CorrelationJob>(jobs_, jobs.jobs);
  refill<std::uint8_t>(patterns_, jobs.patterns);
  reserve(map_, jobs.map_count * sizeof(cl_float));
  reserve(window_sums_, jobs.statistic_count * sizeof(cl_int));
  reserve(inverses_, jobs.statistic_count * (doubles_ ? sizeof(cl_double) : sizeof(cl_float)));
  const bool fused = fuses(form, items);
  if (!fused || jobs.masks.count > 0) reserve(products_, jobs.product_count * sizeof(cl_long));
  window_statistics(jobs, images);
  const CorrelationBuffers buffers{
      jobs_.buffer,        images,           patterns_.buffer, products_.buffer,
      window_sums_.buffer, inverses_.buffer, map_.buffer};
  masked_statistics(jobs, buffers, form);
  if (fused) {
    form.correlations(jobs, jobs.maps, buffers);
  } else {
    form.products(jobs, jobs.maps, buffers);
    launch_blocks(normalise_, "correlation normalise", jobs.maps, BlockKind::kRuns,
                  products_.buffer, window_sums_.buffer, inverses_.buffer, map_.buffer);
  }
  return jobs;
}

void Correlation::window_statistics(const CorrelationJobs& jobs, const cl::Buffer& images) {
  if (jobs.windows.count == 0) return;
  reserve(sums_, jobs.sum_count * sizeof(cl_int));
  reserve(squares_, jobs.sum_count * sizeof(cl_int));
  launch_blocks(row_sums_, "correlation row_sums", jobs.windows, BlockKind::kRuns, images,
                sums_.buffer, squares_.buffer);
  launch_blocks(window_statistics_, "correlation window_statistics", jobs.windows,
                BlockKind::kColumns, sums_.buffer, squares_.buffer, window_sums_.buffer,
                inverses_.buffer);
}

void Correlation::masked_statistics(const CorrelationJobs& jobs, const CorrelationBuffers& buffers,
                                    WindowProducts& form) {
  if (jobs.masks.count == 0) return;
  form.products(jobs, jobs.mask_products, buffers);
  launch_blocks(masked_statistics_, "correlation masked_statistics", jobs.masks, BlockKind::kRuns,
                products_.buffer, window_sums_.buffer, inverses_.buffer);
}

std::vector<float> Correlation::read_map(const CorrelationJob& job) {
  const auto width = static_cast<std::size_t>(job.map_width);
  const auto height = static_cast<std::size_t>(job.map_height);
  const auto pitch = static_cast<std::size_t>(job.pitch);
  std::vector<float> map(width * height);
  const auto copy_rows = [&](std::span<const float> values) {
    for (std::size_t y = 0; y < height; ++y) {
      std::copy_n(values.data() + job.map + y * pitch, width, map.data() + y * width);
    }
  };
  session_.view<float>(map_.buffer, job.map + pitch * height, copy_rows);
  return map;
}

Correlation::Peaks Correlation::best_of(Items items, const cl::Buffer& images) {
  Peaks peaks;
  if (items.empty()) return peaks;
  WindowProducts& form = form_for(items);
  const bool fused = fuses(form, items);
  while (peaks.size() < items.size()) {
    const Items rest = items.subspan(peaks.size());
    const Items batch = rest.first(fitting(rest, fused));
    for_each_batch(batch.size(), batch.size(), [&](std::size_t first, std::size_t count) {
      try {
        const Peaks found = find_peaks(fill_maps(batch.subspan(first, count), images, form));
        peaks.insert(peaks.end(), found.begin(), found.end());
      } catch (const DeviceOutOfMemory&) {
        release_scratch();
        throw;
      }
    });
  }
  return peaks;
}

Correlation::Peaks Correlation::find_peaks(const CorrelationJobs& jobs) {
  const std::size_t group = session_.is_cpu() ? 1 : kGpuGroup;
  const std::size_t rows = jobs.maps.total(BlockKind::kRows);
  reserve(row_best_, rows * sizeof(RowBest));
  reserve(peaks_, jobs.maps.count * sizeof(CorrelationPeak));
  set_arguments(best_of_rows_, jobs_.buffer, to_uint(jobs.maps.first), to_uint(jobs.maps.count),
                map_.buffer, row_best_.buffer);
  session_.launch(best_of_rows_, "correlation best_of_rows", {rows * group}, cl::NDRange(group));
  set_arguments(refine_, jobs_.buffer, to_uint(jobs.maps.first), map_.buffer, row_best_.buffer,
                peaks_.buffer);
  session_.launch(refine_, "correlation refine", {jobs.maps.count * group}, cl::NDRange(group));
  std::vector<CorrelationPeak> found(jobs.maps.count);
  session_.read<CorrelationPeak>(peaks_.buffer, found);
  Peaks peaks(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!std::isnan(found[i].correlation)) peaks[i] = found[i];
  }
  return peaks;
}

}  // namespace lookalike
