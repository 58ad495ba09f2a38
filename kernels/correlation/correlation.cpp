#include "kernels/correlation/correlation.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/pair_sums.h"
#include "kernels/correlation/window_products.h"
#include "kernels/session/build_options.h"

namespace lookalike {
namespace {

constexpr std::size_t kGpuGroup = 64;

struct RowBest {
  cl_float correlation;
  cl_int x;
};

// As Peak in peaks.cl.
static_assert(sizeof(CorrelationPeak) == 3 * sizeof(cl_float));

std::vector<CorrelationKernel> choice_of(OpenClSession& session, CorrelationKernel kernel) {
  if (kernel == CorrelationKernel::kAuto) return claimed_kernels(session);
  if (may_run(session, kernel)) return {kernel};
  throw Error(ErrorKind::kDevice, "correlation: " + session.device().name + " cannot run '" +
                                      std::string(to_string(kernel)) + "'");
}

// Returns long runs for a CPU, so that sums are carried far, and short ones for a GPU, so that
// there are many: the fastest for 64^2 in 1920x1080 of segments of 8, 16 and 32 and of 16 and 32
// column rows (NVIDIA H200, kernels_benchmark --kernel correlation).
CorrelationSteps steps_for(bool is_cpu) {
  if (is_cpu) return {.segment = 4096, .run = 4096, .vector_width = 8, .column_rows = 256};
  return {.segment = 8, .run = 2, .vector_width = 2, .column_rows = 16};
}

// Returns the sizes of the pair that takes the most products.
CorrelationSizes sizes_of(std::span<const CorrelationPair> pairs) {
  CorrelationSizes most;
  for (const auto& [image, pattern] : pairs) {
    const CorrelationSizes sizes{image.width, image.height, pattern.width, pattern.height,
                                 pairs.size()};
    if (sizes.products() > most.products()) most = sizes;
  }
  return most;
}

// True if the form normalises the maps of all these pairs at once.
bool fuses(const WindowProducts& form, std::span<const CorrelationPair> pairs) {
  return std::all_of(pairs.begin(), pairs.end(), [&](const CorrelationPair& pair) {
    return form.normalises(pair.pattern.width, pair.pattern.height);
  });
}

// Sums `size` pairs of pixels in blocks whose sums fit 32 bits. counts(i): 1 if pair i counts, else
// 0.
template <typename Counts>
PairSums<std::uint64_t> pair_sums(const std::uint8_t* a, const std::uint8_t* b, std::size_t size,
                                  const Counts& counts) {
  constexpr std::size_t kBlock = 4096;
  PairSums<std::uint64_t> all;
  for (std::size_t first = 0; first < size; first += kBlock) {
    PairSums<std::uint32_t> block;
    for (std::size_t i = first; i < std::min(first + kBlock, size); ++i) {
      const std::uint32_t count = counts(i);
      block.add(count * a[i], count * b[i]);
      block.count -= 1 - count;
    }
    all.add({block.count, block.a, block.b, block.aa, block.bb, block.ab});
  }
  return all;
}

}  // namespace

std::string correlations_options(int width, bool doubles) {
  return define("WIDTH", width) + (doubles ? " -DDOUBLE_PRECISION" : "");
}

class Correlation::Rep {
 public:
  using Pairs = std::span<const CorrelationPair>;

  Rep(OpenClSession& session, const CorrelationOptions& options)
      : session_(session),
        doubles_(options.double_precision && session.device().has_doubles),
        kernels_(choice_of(session, options.kernel)),
        steps_(steps_for(session.is_cpu())),
        row_sums_(own_kernel("row_sums")),
        window_statistics_(own_kernel("window_statistics")),
        normalise_(own_kernel("normalise")),
        best_of_rows_(own_kernel("best_of_rows")),
        refine_(own_kernel("refine")) {}

  std::vector<float> map(const CorrelationPair& pair) {
    check_pair(pair);
    const Pairs one(&pair, 1);
    const CorrelationJobs packed = fill_maps(one, form_for(one));
    const CorrelationJob& job = packed.jobs.front();
    const std::size_t width = to_size(job.map_width);
    const std::size_t height = to_size(job.map_height);
    const std::size_t pitch = to_size(job.pitch);
    std::vector<float> map(width * height);
    session_.view<float>(buffers_.map.buffer, pitch * height, [&](std::span<const float> values) {
      for (std::size_t y = 0; y < height; ++y) {
        std::copy_n(values.data() + y * pitch, width, map.data() + y * width);
      }
    });
    return map;
  }

  Peaks best_matches(Pairs pairs) {
    Peaks peaks;
    if (pairs.empty()) return peaks;
    std::for_each(pairs.begin(), pairs.end(), check_pair);
    WindowProducts& form = form_for(pairs);
    const bool fused = fuses(form, pairs);
    while (peaks.size() < pairs.size()) {
      const Pairs rest = pairs.subspan(peaks.size());
      const Pairs batch = rest.first(fitting(rest, fused));
      for_each_batch(batch.size(), batch.size(), [&](std::size_t first, std::size_t count) {
        try {
          const Peaks found = find_peaks(fill_maps(batch.subspan(first, count), form));
          peaks.insert(peaks.end(), found.begin(), found.end());
        } catch (const DeviceOutOfMemory&) {
          buffers_ = {};  // makes room for a smaller batch
          throw;
        }
      });
    }
    return peaks;
  }

 private:
  // Returns a kernel of the program that all forms share.
  LazyKernel own_kernel(const char* name) {
    return {session_,
            {"correlation/job.cl", "correlation/correlations.cl", "correlation/statistics.cl",
             "correlation/peaks.cl"},
            name,
            correlations_options(steps_.vector_width, doubles_) +
                define("SEGMENT", steps_.segment) + define("RUN", steps_.run) +
                define("COLUMN_ROWS", steps_.column_rows) +
                define("GROUP", session_.is_cpu() ? 1 : kGpuGroup)};
  }

  // Tries a form when it is first chosen: most sessions need one only.
  CorrelationKernel choose(const CorrelationSizes& sizes) {
    while (kernels_.size() > 1) {
      const CorrelationKernel chosen =
          choose_variant(session_.tuning(), "correlation", sizes.tuning_sizes(),
                         best_guess_first(kernels_, sizes, session_.is_cpu()));
      if (runs(session_, chosen)) return chosen;
      std::erase(kernels_, chosen);
    }
    return kernels_.front();
  }

  WindowProducts& form_for(Pairs pairs) {
    const CorrelationKernel kernel = choose(sizes_of(pairs));
    std::unique_ptr<WindowProducts>& form = forms_[kernel];
    if (!form) {
      form = kernel == CorrelationKernel::kFrequency
                 ? make_frequency_products(session_, doubles_)
                 : make_direct_products(session_, kernel, doubles_);
    }
    return *form;
  }

  // Leaves the correlations in buffers_.map.
  CorrelationJobs fill_maps(Pairs pairs, WindowProducts& form) {
    CorrelationJobs packed = pack_jobs(pairs, form.layout(), steps_);
    CorrelationBuffers& to = buffers_;
    to.jobs.fill<CorrelationJob>(session_, packed.jobs);
    to.images.fill<std::uint8_t>(session_, packed.images);
    to.patterns.fill<std::uint8_t>(session_, packed.patterns);
    to.sums.reserve(session_, packed.sum_count * sizeof(cl_int));
    to.squares.reserve(session_, packed.sum_count * sizeof(cl_int));
    to.window_sums.reserve(session_, packed.statistic_count * sizeof(cl_int));
    to.inverses.reserve(session_,
                        packed.statistic_count * (doubles_ ? sizeof(cl_double) : sizeof(cl_float)));
    to.map.reserve(session_, packed.map_count * sizeof(cl_float));
    const bool fused = fuses(form, pairs);
    if (!fused) to.products.reserve(session_, packed.map_count * sizeof(cl_long));

    launch_blocks(row_sums_, "correlation row_sums", packed.windows, BlockKind::kRuns, to.images,
                  to.sums, to.squares);
    launch_blocks(window_statistics_, "correlation window_statistics", packed.windows,
                  BlockKind::kColumns, to.sums, to.squares, to.window_sums, to.inverses);
    form.compute(packed, to, fused);
    if (!fused) {
      launch_blocks(normalise_, "correlation normalise", packed.maps, BlockKind::kRuns, to.products,
                    to.window_sums, to.inverses, to.map);
    }
    return packed;
  }

  // Runs a kernel over its blocks, one work-item each.
  template <typename... Buffers>
  void launch_blocks(LazyKernel& lazy, const char* label, const JobRange& range, BlockKind kind,
                     const Buffers&... buffers) {
    cl::Kernel& kernel = lazy.get();
    set_arguments(kernel, buffers_.jobs.buffer, to_uint(range.first), to_uint(range.count),
                  to_uint(range.total(kind)), buffers.buffer...);
    session_.launch(kernel, label, {range.total(kind)},
                    cl::NDRange(session_.is_cpu() ? 1 : kGpuGroup));
  }

  Peaks find_peaks(const CorrelationJobs& packed) {
    const JobRange& maps = packed.maps;
    const std::size_t group = session_.is_cpu() ? 1 : kGpuGroup;
    const std::size_t rows = maps.total(BlockKind::kRows);
    buffers_.row_best.reserve(session_, rows * sizeof(RowBest));
    buffers_.peaks.reserve(session_, maps.count * sizeof(CorrelationPeak));
    set_arguments(best_of_rows_.get(), buffers_.jobs.buffer, to_uint(maps.first),
                  to_uint(maps.count), buffers_.map.buffer, buffers_.row_best.buffer);
    session_.launch(best_of_rows_.get(), "correlation best_of_rows", {rows * group},
                    cl::NDRange(group));
    set_arguments(refine_.get(), buffers_.jobs.buffer, to_uint(maps.first), buffers_.map.buffer,
                  buffers_.row_best.buffer, buffers_.peaks.buffer);
    session_.launch(refine_.get(), "correlation refine", {maps.count * group}, cl::NDRange(group));
    std::vector<CorrelationPeak> found(maps.count);
    session_.read<CorrelationPeak>(buffers_.peaks.buffer, found);
    Peaks peaks(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!std::isnan(found[i].correlation)) peaks[i] = found[i];
    }
    return peaks;
  }

  OpenClSession& session_;
  const bool doubles_;
  std::vector<CorrelationKernel> kernels_;  // to choose from
  const CorrelationSteps steps_;
  std::map<CorrelationKernel, std::unique_ptr<WindowProducts>> forms_;
  CorrelationBuffers buffers_;
  LazyKernel row_sums_, window_statistics_, normalise_, best_of_rows_, refine_;
};

Correlation::Correlation(OpenClSession& session, const CorrelationOptions& options)
    : rep_(std::make_unique<Rep>(session, options)) {}

Correlation::~Correlation() = default;

std::vector<float> Correlation::map(const ImageView& image, const ImageView& pattern) {
  return rep_->map({image, pattern});
}

Correlation::Peaks Correlation::best_matches(std::span<const CorrelationPair> pairs) {
  return rep_->best_matches(pairs);
}

std::optional<float> Correlation::correlate(const ImageView& a, const ImageView& b,
                                            const ImageView& mask) {
  require(a.width == b.width && a.height == b.height,
          "Correlation::correlate: the images differ in size");
  require(mask.empty() || (mask.width == a.width && mask.height == a.height),
          "Correlation::correlate: the mask differs in size from the images");
  const auto masked = [pixels = mask.pixels](std::size_t i) { return pixels[i] != 0 ? 1U : 0U; };
  const std::optional<double> rho = correlation_of(
      mask.empty() ? pair_sums(a.pixels, b.pixels, a.size(), [](std::size_t) { return 1U; })
                   : pair_sums(a.pixels, b.pixels, a.size(), masked));
  return rho ? std::optional(static_cast<float>(*rho)) : std::nullopt;
}

}  // namespace lookalike
