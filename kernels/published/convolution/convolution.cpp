#include "kernels/published/convolution/convolution.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>

#include "kernels/session/build_options.h"
#include "kernels/session/opencl.h"

namespace lookalike {
namespace {

constexpr float kRankTolerance = 1e-6F;
// 225 weights are 900 bytes of arguments, of which every device takes 1024.
constexpr std::size_t kMaxTiledSide = 15;
// Larger filters overflow the instruction cache.
constexpr std::size_t kMaxRegistersSide = 9;
// 79 filtered rows of 256 bytes on a CPU, 127 of 128 on a GPU, fit the 32 KiB of local memory that
// every device has.
constexpr std::size_t kMaxSeparableRows = 64;

}  // namespace

std::vector<ConvolutionKernel> convolution_kernels(const OpenClSession& session,
                                                   MatrixView<const float> filter) {
  std::vector<ConvolutionKernel> kernels;
  const bool is_line = filter.rows() == 1 || filter.cols() == 1;
  const bool has_rank_one = filter.rows() <= kMaxSeparableRows && separate(filter).has_value();
  if (has_rank_one && !is_line) kernels.push_back(ConvolutionKernel::kSeparable);
  if (session.is_cpu()) kernels.push_back(ConvolutionKernel::kVectors);
  const std::size_t side = std::max(filter.rows(), filter.cols());
  if (side <= kMaxRegistersSide) kernels.push_back(ConvolutionKernel::kRegisters);
  if (side <= kMaxTiledSide) kernels.push_back(ConvolutionKernel::kTiled);
  kernels.push_back(ConvolutionKernel::kDirect);
  if (has_rank_one && is_line) kernels.push_back(ConvolutionKernel::kSeparable);
  return kernels;
}

std::optional<SeparableFilter> separate(MatrixView<const float> filter) {
  const std::span<const float> weights(filter.data(), filter.size());
  const auto by_size = [](float a, float b) { return std::abs(a) < std::abs(b); };
  const auto largest = std::max_element(weights.begin(), weights.end(), by_size);
  if (largest == weights.end() || *largest == 0 || !std::isfinite(*largest)) return std::nullopt;
  const auto position = static_cast<std::size_t>(largest - weights.begin());
  SeparableFilter parts;
  for (std::size_t i = 0; i < filter.rows(); ++i) {
    parts.column.push_back(filter.row(i)[position % filter.cols()]);
  }
  for (const float weight : filter.row(position / filter.cols())) {
    parts.row.push_back(weight / *largest);
  }
  for (std::size_t i = 0; i < filter.size(); ++i) {
    const float product = parts.column[i / filter.cols()] * parts.row[i % filter.cols()];
    if (!(std::abs(product - weights[i]) <= kRankTolerance * std::abs(*largest))) {
      return std::nullopt;
    }
  }
  return parts;
}

namespace {

// How a form divides the result: a work-group has lanes x group_rows items, and each of them
// computes columns x rows pixels.
struct Tiling {
  std::size_t lanes;
  std::size_t group_rows;
  std::size_t rows;
  std::size_t columns;

  std::size_t tile_columns() const { return lanes * columns; }
  std::size_t tile_rows() const { return group_rows * rows; }
};

// As Shape in image_rows.cl.
struct Shape {
  cl_int rows;
  cl_int columns;
  cl_int result_rows;
  cl_int result_columns;
  cl_int filter_rows;
  cl_int filter_columns;
  cl_int top;
  cl_int left;
  cl_int border;
};

// The columns of pixels that an item of kRegisters loads: quads that start at multiples of 4 of the
// image, the first of them `shift` columns before those that its 4 results need.
//   left  columns of the filter before its result
struct QuadWindow {
  QuadWindow(std::size_t filter_columns, std::size_t left)
      : shift((4 - left % 4) % 4), quads(parts(shift + filter_columns + 3, 4)) {}

  std::size_t shift;
  std::size_t quads;  // of 4 columns each, that hold the window
};

// As Block in registers.cl.
struct Block {
  cl_int first_row = 0;
  cl_int first_column = 0;
  cl_int items_down = 0;
  cl_int items_across = 0;
  cl_int edge_groups = 0;
};

// How many steps fit into the result from `first` to `end`. The window of a step begins `before`
// pixels before it, and the last window must end within the image's pixels.
cl_int steps_inside(cl_int first, cl_int end, cl_int before, cl_int window, cl_int pixels,
                    cl_int step) {
  const cl_int room = std::min(end - first - step, pixels - window - (first - before));
  return room < 0 ? 0 : room / step + 1;
}

Tiling tiling_of(ConvolutionKernel kernel, bool is_cpu) {
  switch (kernel) {
    case ConvolutionKernel::kTiled:
      return {32, 8, 2, 4};  // as the next, 7 x 7 on 4096 x 4096, in sweeps on an H200
    case ConvolutionKernel::kRegisters:
      return {32, 8, 5, 4};
    case ConvolutionKernel::kVectors:
      // 4 rows of 2 vectors: 8 sums, the weights of a column of the filter and the pixels fit the
      // 32 registers of AVX-512 (EPYC, PoCL 3.1: 168 GFLOP/s against 112 with 8 rows).
      return {1, 1, 4, 4096};
    case ConvolutionKernel::kSeparable:
      return is_cpu ? Tiling{1, 1, 16, 64} : Tiling{32, 8, 8, 1};
    case ConvolutionKernel::kDirect:
    case ConvolutionKernel::kAuto:
      break;
  }
  return {32, 8, 1, 1};
}

// The largest block of whole items of kRegisters whose windows lie within the image, empty where
// none does, and the number of groups that take the other pixels one by one.
Block block_inside(const Shape& shape, const Tiling& tile) {
  const auto rows = static_cast<cl_int>(tile.rows);
  const auto columns = static_cast<cl_int>(tile.columns);
  const QuadWindow window(static_cast<std::size_t>(shape.filter_columns),
                          static_cast<std::size_t>(shape.left));
  const auto before = shape.left + static_cast<cl_int>(window.shift);
  Block block{.first_row = shape.top, .first_column = before};
  block.items_down = steps_inside(block.first_row, shape.result_rows, shape.top,
                                  rows + shape.filter_rows - 1, shape.rows, rows);
  block.items_across = steps_inside(block.first_column, shape.result_columns, before,
                                    4 * static_cast<cl_int>(window.quads), shape.columns, columns);
  if (block.items_down == 0 || block.items_across == 0) block = {};
  const std::int64_t pixels = std::int64_t{shape.result_rows} * shape.result_columns;
  const std::int64_t inside = std::int64_t{block.items_down} * rows * block.items_across * columns;
  const auto group_items = static_cast<std::int64_t>(tile.lanes * tile.group_rows);
  block.edge_groups = static_cast<cl_int>(parts(pixels - inside, group_items));
  return block;
}

// The work-items of all forms but kRegisters.
cl::NDRange items_of_tiles(const Shape& shape, const Tiling& tile) {
  const auto rows = static_cast<std::size_t>(shape.result_rows);
  const auto columns = static_cast<std::size_t>(shape.result_columns);
  return {parts(columns, tile.tile_columns()) * tile.lanes,
          parts(rows, tile.tile_rows()) * tile.group_rows};
}

// The work-items of kRegisters. Its groups stand in one row: first those of the pixels around the
// block, then those of the block, row by row.
cl::NDRange items_of_block(const Block& block, const Tiling& tile) {
  const auto across = static_cast<std::size_t>(block.items_across);
  const auto down = static_cast<std::size_t>(block.items_down);
  const std::size_t groups = static_cast<std::size_t>(block.edge_groups) +
                             parts(across, tile.lanes) * parts(down, tile.group_rows);
  return {groups * tile.lanes, tile.group_rows};
}

// Rows of a filter whose weights kVectors keeps in registers at once.
constexpr std::size_t kMaxChunkRows = 11;
constexpr std::size_t kVectorsAcross = 2;
constexpr std::size_t kVectorWidth = 16;

// Where the filter's first pixel lies before the result's, down its height or along its width.
std::size_t lead(std::size_t side, Border border) {
  return border == Border::kValid ? 0 : side / 2;
}

// Only what a kernel must know at compile time, so that filters share programs.
std::string filter_options(ConvolutionKernel kernel, bool is_cpu, std::size_t height,
                           std::size_t width, Border border) {
  const std::size_t tile_columns = tiling_of(kernel, is_cpu).tile_columns();
  std::string sides = define("FILTER_ROWS", height) + define("FILTER_COLUMNS", width);
  switch (kernel) {
    case ConvolutionKernel::kTiled:
      return sides;
    case ConvolutionKernel::kRegisters: {
      const QuadWindow window(width, lead(width, border));
      return sides + define("SHIFT", window.shift) + define("WINDOW_QUADS", window.quads);
    }
    case ConvolutionKernel::kVectors:
      // As few chunks as possible, and as even.
      return define("CHUNK", height / parts(height, kMaxChunkRows)) + define("BAND", tile_columns) +
             define("VECTORS", kVectorsAcross);
    case ConvolutionKernel::kSeparable:
      return define("WIDTH", is_cpu ? kVectorWidth : 1) +
             define("TILE_LANES", tile_columns / (is_cpu ? kVectorWidth : 1));
    case ConvolutionKernel::kDirect:
    case ConvolutionKernel::kAuto:
      break;
  }
  return "";
}

// Uses hints in PTX where the compiler takes them; those of the loads need PTX 7.4 and sm_75. They
// only change when pixels arrive, so that a program that builds also works.
cl::Kernel build_hinted(OpenClSession& session, bool aligned, const std::string& options,
                        const std::function<cl::Kernel(const std::string& options)>& compiled) {
  const std::string plain = options + define("ALIGNED", aligned ? 1 : 0);
  const std::string hinted = plain + " -DPTX";
  const auto probe = [&] {
    compiled(hinted);
    return true;
  };
  const char* const feature = aligned ? "convolution hinted loads" : "convolution prefetch";
  const bool hints = session.device().is_nvidia() && session.supports(feature, probe);
  return compiled(hints ? hinted : plain);
}

cl::Kernel build(OpenClSession& session, ConvolutionKernel kernel, std::size_t height,
                 std::size_t width, Border border, bool aligned) {
  const std::string name(to_string(kernel));
  const Tiling tile = tiling_of(kernel, session.is_cpu());
  using Sources = std::vector<std::string>;
  const std::string own = "published/convolution/" + name + ".cl";
  const Sources sources =
      session.is_cpu() ? Sources{"published/convolution/image_rows.cl", "published/convolution/float_rows.cl", own}
                       : Sources{"published/convolution/image_rows.cl", own};
  const std::string options = "-cl-mad-enable" + define("LANES", tile.lanes) +
                              define("GROUP_ROWS", tile.group_rows) + define("ROWS", tile.rows) +
                              filter_options(kernel, session.is_cpu(), height, width, border);
  const auto compiled = [&](const std::string& all) {
    return session.kernel(sources, "correlate_" + name, all);
  };
  if (kernel != ConvolutionKernel::kRegisters) return compiled(options);
  return build_hinted(session, aligned, options, compiled);
}

std::vector<float> weights_of(ConvolutionKernel kernel, MatrixView<const float> filter) {
  if (kernel != ConvolutionKernel::kSeparable) {
    return {filter.data(), filter.data() + filter.size()};
  }
  const std::optional<SeparableFilter> parts = separate(filter);
  std::vector<float> weights = parts->column;
  weights.insert(weights.end(), parts->row.begin(), parts->row.end());
  return weights;
}

// The weights of the filter rotated by 180 degrees; column and row of a separable one separately.
std::vector<float> turned(std::vector<float> weights, ConvolutionKernel kernel,
                          std::size_t height) {
  const auto middle = kernel == ConvolutionKernel::kSeparable
                          ? weights.begin() + static_cast<std::ptrdiff_t>(height)
                          : weights.end();
  std::reverse(weights.begin(), middle);
  std::reverse(middle, weights.end());
  return weights;
}

}  // namespace

Convolution::Convolution(OpenClSession& session, MatrixView<const float> filter, Border border,
                         ConvolutionKernel kernel)
    : session_(session), height_(filter.rows()), width_(filter.cols()), border_(border) {
  require(filter.size() > 0, "Convolution: the filter is empty");
  kernel_ = select_variant(session, "convolution", {{"height", height_}, {"width", width_}},
                           convolution_kernels(session, filter), kernel);
  weights_.values = weights_of(kernel_, filter);
  turned_weights_.values = turned(weights_.values, kernel_, height_);
  for (Weights* const weights : {&weights_, &turned_weights_}) {
    weights->buffer = session.upload<float>(weights->values);
  }
}

std::size_t Convolution::fitting(std::size_t image_side, std::size_t filter_side) const {
  if (border_ != Border::kValid) return image_side;
  return image_side < filter_side ? 0 : image_side - filter_side + 1;
}

// Arguments from the fourth on.
void Convolution::set_weights(cl::Kernel& kernel, const Weights& weights) const {
  if (kernel_ == ConvolutionKernel::kTiled || kernel_ == ConvolutionKernel::kRegisters) {
    kernel.setArg(3, weights.values.size() * sizeof(float), weights.values.data());
    if (kernel_ == ConvolutionKernel::kRegisters) kernel.setArg(4, weights.buffer);
    return;
  }
  kernel.setArg(3, weights.buffer);
  if (kernel_ != ConvolutionKernel::kSeparable) return;
  const Tiling tile = tiling_of(kernel_, session_.is_cpu());
  const std::size_t filtered_rows = tile.tile_rows() + height_ - 1;
  kernel.setArg(4, cl::Local(filtered_rows * tile.tile_columns() * sizeof(float)));
}

void Convolution::run(const Weights& weights, const cl::Buffer& image, std::size_t rows,
                      std::size_t columns, const cl::Buffer& result) {
  constexpr std::size_t kMaxImageSide = std::numeric_limits<std::int32_t>::max() - 65536;
  require(rows < kMaxImageSide && columns < kMaxImageSide, "Convolution: a side is too large");
  const auto to_int = [](std::size_t value) { return static_cast<cl_int>(value); };
  const Shape shape{to_int(rows),
                    to_int(columns),
                    to_int(result_rows(rows)),
                    to_int(result_columns(columns)),
                    to_int(height_),
                    to_int(width_),
                    to_int(lead(height_, border_)),
                    to_int(lead(width_, border_)),
                    to_int(static_cast<std::size_t>(border_))};
  const bool registers = kernel_ == ConvolutionKernel::kRegisters;
  const bool aligned = registers && columns % 4 == 0;
  cl::Kernel& kernel = correlate_[aligned ? 1 : 0];
  if (kernel() == nullptr) kernel = build(session_, kernel_, height_, width_, border_, aligned);
  set_arguments(kernel, image, result, shape);
  set_weights(kernel, weights);
  const Tiling tile = tiling_of(kernel_, session_.is_cpu());
  cl::NDRange items = items_of_tiles(shape, tile);
  if (registers) {
    const Block block = block_inside(shape, tile);
    kernel.setArg(5, block);
    items = items_of_block(block, tile);
  }
  session_.launch(kernel, "convolution", items, {{tile.lanes, tile.group_rows}});
}

void Convolution::correlate(const cl::Buffer& image, std::size_t rows, std::size_t columns,
                            const cl::Buffer& result) {
  run(weights_, image, rows, columns, result);
}

void Convolution::convolve(const cl::Buffer& image, std::size_t rows, std::size_t columns,
                           const cl::Buffer& result) {
  run(turned_weights_, image, rows, columns, result);
}

}  // namespace lookalike
