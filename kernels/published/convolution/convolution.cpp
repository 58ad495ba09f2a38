#include "kernels/published/convolution/convolution.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "kernels/session/build_options.h"
#include "kernels/session/opencl.h"

namespace lookalike {
namespace {

// The weights of 15 x 15 are 900 of the 1024 bytes of arguments that every device takes.
constexpr std::size_t kMaxSide = 15;
// Larger filters overflow the instruction cache.
constexpr std::size_t kMaxRegistersSide = 9;

// Work-items of a group, and columns of an item.
constexpr std::size_t kLanes = 32;
constexpr std::size_t kGroupRows = 8;
constexpr std::size_t kItemColumns = 4;

// Rows of an item: the fastest for 7 x 7 on 4096 x 4096 (sweeps on an H200).
std::size_t item_rows(ConvolutionKernel kernel) {
  return kernel == ConvolutionKernel::kRegisters ? 5 : 2;
}

// As in image.cl, which describes the fields.
struct ConvolutionShape {
  cl_int rows;
  cl_int columns;
  cl_int result_rows;
  cl_int result_columns;
  cl_int top;
  cl_int left;
  cl_int border;
};
static_assert(sizeof(ConvolutionShape) == 7 * sizeof(cl_int));

// As in registers.cl, which describes the fields.
struct Block {
  cl_int first_row = 0;
  cl_int first_column = 0;
  cl_int items_down = 0;
  cl_int items_across = 0;
  cl_int edge_groups = 0;
};
static_assert(sizeof(Block) == 5 * sizeof(cl_int));

// The quads of 4 columns, at multiples of 4 of the image, that an item of kRegisters loads: the
// first begins `shift` columns before those that its 4 results need.
//   left  columns of the filter before its result
struct QuadWindow {
  QuadWindow(std::size_t filter_columns, std::size_t left)
      : shift((4 - left % 4) % 4), quads(parts(shift + filter_columns + 3, 4)) {}

  std::size_t shift;
  std::size_t quads;
};

// Returns how many steps fit into the result from `first` to `end`. The window of a step begins
// `before` pixels before it, and the last window must end within the image's pixels.
cl_int steps_inside(cl_int first, cl_int end, cl_int before, cl_int window, cl_int pixels,
                    cl_int step) {
  const cl_int room = std::min(end - first - step, pixels - window - (first - before));
  return room < 0 ? 0 : room / step + 1;
}

// Returns the largest block of whole items whose windows lie within the image, empty where none
// does, with the number of groups that take the other pixels one by one.
Block block_inside(const ConvolutionShape& shape, std::size_t filter_rows,
                   std::size_t filter_columns) {
  const auto rows = static_cast<cl_int>(item_rows(ConvolutionKernel::kRegisters));
  const auto columns = static_cast<cl_int>(kItemColumns);
  const QuadWindow window(filter_columns, to_size(shape.left));
  const auto before = shape.left + static_cast<cl_int>(window.shift);
  Block block{.first_row = shape.top, .first_column = before};
  block.items_down = steps_inside(block.first_row, shape.result_rows, shape.top,
                                  rows + static_cast<cl_int>(filter_rows) - 1, shape.rows, rows);
  block.items_across = steps_inside(block.first_column, shape.result_columns, before,
                                    4 * static_cast<cl_int>(window.quads), shape.columns, columns);
  if (block.items_down == 0 || block.items_across == 0) block = {};
  const std::int64_t pixels = std::int64_t{shape.result_rows} * shape.result_columns;
  const std::int64_t inside = std::int64_t{block.items_down} * rows * block.items_across * columns;
  block.edge_groups =
      static_cast<cl_int>(parts(pixels - inside, static_cast<std::int64_t>(kLanes * kGroupRows)));
  return block;
}

cl::NDRange items_of_tiles(const ConvolutionShape& shape) {
  const std::size_t rows = kGroupRows * item_rows(ConvolutionKernel::kTiled);
  return {parts(to_size(shape.result_columns), kLanes * kItemColumns) * kLanes,
          parts(to_size(shape.result_rows), rows) * kGroupRows};
}

// Returns the items of kRegisters, whose groups stand in one row: first the pixels around the
// block, then the block, row by row.
cl::NDRange items_of_block(const Block& block) {
  const std::size_t groups =
      to_size(block.edge_groups) +
      parts(to_size(block.items_across), kLanes) * parts(to_size(block.items_down), kGroupRows);
  return {groups * kLanes, kGroupRows};
}

// Returns how far the filter's first pixel lies before the result's, along its height or width.
std::size_t lead(std::size_t side, Border border) {
  return border == Border::kValid ? 0 : side / 2;
}

cl::Kernel build(OpenClSession& session, ConvolutionKernel kernel, std::size_t height,
                 std::size_t width, Border border, bool aligned) {
  const std::string name(to_string(kernel));
  const auto compiled = [&](const std::string& options) {
    return session.kernel(
        {"published/convolution/image.cl", "published/convolution/" + name + ".cl"},
        "correlate_" + name, options);
  };
  std::string options = "-cl-mad-enable" + define("LANES", kLanes) +
                        define("GROUP_ROWS", kGroupRows) + define("ROWS", item_rows(kernel)) +
                        define("FILTER_ROWS", height) + define("FILTER_COLUMNS", width);
  if (kernel == ConvolutionKernel::kTiled) return compiled(options);
  const QuadWindow window(width, lead(width, border));
  options += define("SHIFT", window.shift) + define("WINDOW_QUADS", window.quads) +
             define("ALIGNED", aligned ? 1 : 0);
  // The hints of loads need PTX 7.4 and sm_75. They only change when pixels arrive, so that a
  // program that builds also works.
  const char* const feature = aligned ? "convolution hinted loads" : "convolution prefetch";
  const bool hints = session.device().is_nvidia() && session.supports(feature, [&] {
    compiled(options + " -DPTX");
    return true;
  });
  return compiled(hints ? options + " -DPTX" : options);
}

}  // namespace

std::vector<ConvolutionKernel> convolution_kernels(MatrixView<const float> filter) {
  if (std::max(filter.rows(), filter.cols()) > kMaxRegistersSide) {
    return {ConvolutionKernel::kTiled};
  }
  return {ConvolutionKernel::kRegisters, ConvolutionKernel::kTiled};
}

Convolution::Convolution(OpenClSession& session, MatrixView<const float> filter, Border border,
                         ConvolutionKernel kernel)
    : session_(session), height_(filter.rows()), width_(filter.cols()), border_(border) {
  require(filter.size() > 0 && std::max(height_, width_) <= kMaxSide,
          "Convolution: the filter must have 1 to 15 rows and columns");
  kernel_ = select_variant(session, "convolution", {{"height", height_}, {"width", width_}},
                           convolution_kernels(filter), kernel);
  weights_.values.assign(filter.data(), filter.data() + filter.size());
  turned_weights_.values.assign(weights_.values.rbegin(), weights_.values.rend());
  for (Weights* const weights : {&weights_, &turned_weights_}) {
    weights->buffer = session.upload<float>(weights->values);
  }
}

std::size_t Convolution::fitting(std::size_t image_side, std::size_t filter_side) const {
  if (border_ != Border::kValid) return image_side;
  return image_side < filter_side ? 0 : image_side - filter_side + 1;
}

void Convolution::run(const Weights& weights, const cl::Buffer& image, std::size_t rows,
                      std::size_t columns, const cl::Buffer& result) {
  constexpr std::size_t kMaxImageSide = std::numeric_limits<std::int32_t>::max() - 65536;
  require(rows < kMaxImageSide && columns < kMaxImageSide, "Convolution: a side is too large");
  const auto to_int = [](std::size_t value) { return static_cast<cl_int>(value); };
  const ConvolutionShape shape{to_int(rows),
                               to_int(columns),
                               to_int(result_rows(rows)),
                               to_int(result_columns(columns)),
                               to_int(lead(height_, border_)),
                               to_int(lead(width_, border_)),
                               to_int(static_cast<std::size_t>(border_))};
  const bool registers = kernel_ == ConvolutionKernel::kRegisters;
  const bool aligned = registers && columns % 4 == 0;
  cl::Kernel& kernel = correlate_[aligned ? 1 : 0];
  if (kernel() == nullptr) kernel = build(session_, kernel_, height_, width_, border_, aligned);
  set_arguments(kernel, image, result, shape);
  kernel.setArg(3, weights.values.size() * sizeof(float), weights.values.data());
  cl::NDRange items = items_of_tiles(shape);
  if (registers) {
    const Block block = block_inside(shape, height_, width_);
    kernel.setArg(4, weights.buffer);
    kernel.setArg(5, block);
    items = items_of_block(block);
  }
  session_.launch(kernel, "convolution", items, {{kLanes, kGroupRows}});
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
