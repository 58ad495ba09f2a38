// The forms of the correlation that go through positions: all but kFrequency.
#include <utility>

#include "kernels/correlation/window_products.h"
#include "kernels/session/build_options.h"

namespace lookalike {
namespace {

// Largest number of products, of a pixel up to 255 and a pattern's down to -128, whose sum fits 32
// bits.
constexpr int kPartPixels = 65792;

struct Form {
  std::vector<std::string> sources{};  // after job.cl
  std::string options{};
  CorrelationLayout layout{};
  cl::NDRange group{};
  bool normalises = false;  // also has a kernel window_correlations
};

Form per_position_form(OpenClSession& session) {
  std::size_t group = 256;
  while (group > session.device().max_work_group_size) group /= 2;
  return {.sources = {"correlation/per_position.cl"},
          .options = define("GROUP", group),
          .layout = {.tile_width = 1, .tile_height = 1},
          .group = cl::NDRange(group)};
}

Form tiled_form() {
  return {.sources = {"correlation/tiled.cl"},
          .layout = {.tile_width = 16, .tile_height = 16},
          .group = cl::NDRange(16, 16)};
}

// Rows of positions per work-item, and vectors of 16 positions per row: of 4x2, 4x4, 6x2, 6x4 and
// 8x2 about the least processor time for 300 patterns of 24^2 in 48^2, and at most 5 % more than
// the least for 64^2 in 1024^2 and 1920x1080 (PoCL 3.1, AMD EPYC with AVX-512, 2 cores,
// kernels_benchmark --kernel correlation).
Form vector_form() {
  constexpr int kRows = 6;
  constexpr int kVectors = 2;
  return {.sources = {"correlation/vector.cl"},
          .options = define("ROWS", kRows) + define("VECTORS", kVectors) +
                     define("PATTERN_MARGIN", kRows - 1),
          .layout = {.float_patterns = true,
                     .margin_rows = kRows - 1,
                     .tile_width = 16 * kVectors,
                     .tile_height = kRows},
          .group = cl::NDRange(1)};
}

Form dot_cpu_form(int lanes, bool doubles) {
  constexpr int kRows = 6;
  const bool wide = lanes == 16;
  const int vectors = wide ? 4 : 2;
  return {.sources = {"correlation/correlations.cl", "correlation/dot_cpu.cl"},
          .options = correlations_options(lanes, doubles) + (wide ? "" : " -DVEX") +
                     define("ROWS", kRows) + define("VECTORS", vectors) +
                     define("PATTERN_MARGIN", kRows - 1) + define("PART_PIXELS", kPartPixels),
          .layout = {.margin_rows = kRows - 1,
                     .pitch_step = 4,
                     .tile_width = lanes * vectors,
                     .tile_height = kRows},
          .group = cl::NDRange(1),
          .normalises = true};
}

// A work-group on a GPU: its tile of positions, the rows of positions of a band, and how much of
// the pattern a stage holds. The values below took the least time, or nearly so, for 64^2 and 128^2
// in 1920x1080, of 9 settings of dot_product and 15 of matrix (NVIDIA H200, kernels_benchmark
// --kernel correlation).
struct Staging {
  int tile_width;
  int tile_height;
  int band;
  int items;
  int strip_words;
  int chunk;
};

Form staged_form(const char* source, const Staging& staging, bool doubles) {
  return {.sources = {"correlation/correlations.cl", "correlation/staging.cl", source},
          .options = correlations_options(4, doubles) + define("TILE_WIDTH", staging.tile_width) +
                     define("TILE_HEIGHT", staging.tile_height) + define("BAND", staging.band) +
                     define("GROUP_ITEMS", staging.items) +
                     define("STRIP_WORDS", staging.strip_words) + define("CHUNK", staging.chunk) +
                     define("PART_PIXELS", kPartPixels),
          .layout = {.pitch_step = 4,
                     .tile_width = staging.tile_width,
                     .tile_height = staging.tile_height},
          .group = cl::NDRange(static_cast<std::size_t>(staging.items)),
          .normalises = true};
}

Form form_of(OpenClSession& session, CorrelationKernel kernel, bool doubles) {
  switch (kernel) {
    case CorrelationKernel::kPerPosition:
      return per_position_form(session);
    case CorrelationKernel::kTiled:
      return tiled_form();
    case CorrelationKernel::kVector:
      return vector_form();
    case CorrelationKernel::kDotProduct: {
      if (session.is_cpu()) return dot_cpu_form(dot_product_lanes(session), doubles);
      Form form = staged_form("correlation/dot_gpu.cl", {64, 64, 8, 128, 16, 32}, doubles);
      if (session.device().is_nvidia()) form.options += " -DPTX";
      return form;
    }
    case CorrelationKernel::kMatrix:
      return staged_form("correlation/matrix.cl", {128, 32, 16, 128, 16, 32}, doubles);
    default:
      throw Error(ErrorKind::kInternal, "correlation: '" + std::string(to_string(kernel)) +
                                            "' does not go through positions");
  }
}

class DirectProducts final : public WindowProducts {
 public:
  DirectProducts(OpenClSession& session, Form form) : session_(session), form_(std::move(form)) {
    form_.sources.insert(form_.sources.begin(), "correlation/job.cl");
    products_ = session.kernel(form_.sources, "window_products", form_.options);
    if (!form_.normalises) return;
    correlations_ = session.kernel(form_.sources, "window_correlations", form_.options);
  }

  const CorrelationLayout& layout() const override { return form_.layout; }

  bool normalises(int width, int height) const override {
    return form_.normalises && std::int64_t{width} * height <= kPartPixels;
  }

  void compute(const CorrelationJobs& packed, const CorrelationBuffers& buffers,
               bool normalised) override {
    const JobRange& maps = packed.maps;
    const auto launch = [&](cl::Kernel& kernel, const char* label, const auto&... results) {
      set_arguments(kernel, buffers.jobs.buffer, to_uint(maps.first), to_uint(maps.count),
                    buffers.images.buffer, buffers.patterns.buffer, results.buffer...);
      const cl::NDRange& group = form_.group;
      const std::size_t items = maps.total(BlockKind::kTiles) * group.get()[0];
      session_.launch(
          kernel, label,
          group.dimensions() == 1 ? cl::NDRange(items) : cl::NDRange(items, group.get()[1]), group);
    };
    if (normalised) {
      launch(correlations_, "correlation window_correlations", buffers.window_sums,
             buffers.inverses, buffers.map);
    } else {
      launch(products_, "correlation window_products", buffers.products);
    }
  }

 private:
  OpenClSession& session_;
  Form form_;
  cl::Kernel products_;
  cl::Kernel correlations_;
};

}  // namespace

std::unique_ptr<WindowProducts> make_direct_products(OpenClSession& session,
                                                     CorrelationKernel kernel, bool doubles) {
  return std::make_unique<DirectProducts>(session, form_of(session, kernel, doubles));
}

}  // namespace lookalike
