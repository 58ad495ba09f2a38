// The forms that go through positions: all but kFrequency.
#include <utility>
#include <vector>

#include "kernels/correlation/window_products.h"

namespace lookalike {
namespace {

// As many products of a pixel, up to 255, and a pattern's pixel, down to -128, fit into 32 bits.
constexpr std::size_t kPartPixels = 65792;

// What a form is made of.
struct Form {
  std::vector<std::string> sources;
  std::string options;
  CorrelationLayout layout;
  cl::NDRange group;
  bool normalises = false;
};

Form per_position_form(OpenClSession& session) {
  std::size_t group = 256;
  while (group > session.device().max_work_group_size) group /= 2;
  Form form{{"correlation/per_position.cl"}, define("GROUP", group), {}, cl::NDRange(group)};
  form.layout.tile_width = 1;
  form.layout.tile_height = 1;
  return form;
}

Form tiled_form() {
  Form form{{"correlation/tiled.cl"}, {}, {}, cl::NDRange(16, 16)};
  form.layout.tile_width = 16;
  form.layout.tile_height = 16;
  return form;
}

Form blocked_form() {
  constexpr int kRows = 4;
  Form form{{"correlation/blocked.cl"}, define("ROWS", kRows), {}, cl::NDRange(32, 8)};
  form.layout.tile_width = 32;
  form.layout.tile_height = 8 * kRows;
  return form;
}

// Of one work-item: rows of positions, and vectors of 16 positions in each. Of 4x2, 4x4, 6x2, 6x4
// and 8x2, this one took about the least processor time for 300 patterns of 24^2 in 48^2, and at
// most 5 % more than the least for 64^2 in 1024^2 and 1920x1080 (the cases of
// correlation_vs_opencv of commit 2d0115e; PoCL 3.1, AMD EPYC with AVX-512, 2 cores).
Form vector_form() {
  constexpr int kRows = 6;
  constexpr int kVectors = 2;
  Form form{
      {"correlation/vector.cl"},
      define("ROWS", kRows) + define("VECTORS", kVectors) + define("PATTERN_MARGIN", kRows - 1),
      {},
      cl::NDRange(1)};
  form.layout.float_patterns = true;
  form.layout.margin_rows = kRows - 1;
  form.layout.tile_width = 16 * kVectors;
  form.layout.tile_height = kRows;
  return form;
}

Form dot_cpu_form(int width, bool doubles) {
  const bool wide = width == 16;
  const int rows = 6;
  const int vectors = wide ? 4 : 2;
  Form form{{"correlation/correlations.cl", "correlation/dot_cpu.cl"},
            correlations_options(width, doubles) + (wide ? "" : " -DVEX") +
                define("ROWS", static_cast<std::size_t>(rows)) +
                define("VECTORS", static_cast<std::size_t>(vectors)) +
                define("PATTERN_MARGIN", static_cast<std::size_t>(rows - 1)) +
                define("PART_PIXELS", kPartPixels),
            {},
            cl::NDRange(1),
            true};
  form.layout.margin_rows = rows - 1;
  form.layout.pitch_step = 4;
  form.layout.tile_width = width * vectors;
  form.layout.tile_height = rows;
  return form;
}

// Of a work-group on a GPU: its tile of positions, the rows of positions that a band has, and how
// much of the pattern a stage holds. Of 9 settings of dot_product and 15 of matrix, those below
// took the least time, or nearly so, for 64^2 and 128^2 in 1920x1080 (correlation_benchmark of commit 2d0115e, NVIDIA
// H200).
struct Staging {
  std::size_t tile_width;
  std::size_t tile_height;
  std::size_t band;
  std::size_t items;
  std::size_t strip_words;
  std::size_t chunk;
};

Form staged_form(const char* source, const Staging& staging, bool doubles) {
  Form form{{"correlation/correlations.cl", "correlation/staging.cl", source},
            correlations_options(4, doubles) + define("TILE_WIDTH", staging.tile_width) +
                define("TILE_HEIGHT", staging.tile_height) + define("BAND", staging.band) +
                define("GROUP_ITEMS", staging.items) + define("STRIP_WORDS", staging.strip_words) +
                define("CHUNK", staging.chunk) + define("PART_PIXELS", kPartPixels),
            {},
            cl::NDRange(staging.items),
            true};
  form.layout.pitch_step = 4;
  form.layout.tile_width = static_cast<int>(staging.tile_width);
  form.layout.tile_height = static_cast<int>(staging.tile_height);
  return form;
}

Form form_of(OpenClSession& session, CorrelationKernel kernel, bool doubles) {
  switch (kernel) {
    case CorrelationKernel::kPerPosition:
      return per_position_form(session);
    case CorrelationKernel::kTiled:
      return tiled_form();
    case CorrelationKernel::kBlocked:
      return blocked_form();
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

// A kernel that takes the products, and where it can one that normalises them at once.
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
    return form_.normalises &&
           static_cast<std::size_t>(width) * static_cast<std::size_t>(height) <= kPartPixels;
  }

  void products(const CorrelationJobs& /*packed*/, const JobRange& range,
                const CorrelationBuffers& buffers) override {
    set_arguments(products_, buffers.jobs, to_uint(range.first), to_uint(range.count),
                  buffers.images, buffers.patterns, buffers.products);
    launch(products_, "correlation window_products", range);
  }

  void correlations(const CorrelationJobs& /*packed*/, const JobRange& range,
                    const CorrelationBuffers& buffers) override {
    set_arguments(correlations_, buffers.jobs, to_uint(range.first), to_uint(range.count),
                  buffers.images, buffers.patterns, buffers.window_sums, buffers.inverses,
                  buffers.map);
    launch(correlations_, "correlation window_correlations", range);
  }

 private:
  void launch(cl::Kernel& kernel, const char* label, const JobRange& range) {
    const cl::NDRange& group = form_.group;
    const std::size_t items = range.total(BlockKind::kTiles) * group.get()[0];
    const cl::NDRange global =
        group.dimensions() == 1 ? cl::NDRange(items) : cl::NDRange(items, group.get()[1]);
    session_.launch(kernel, label, global, group);
  }

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
