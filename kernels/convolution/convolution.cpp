#include "kernels/convolution/convolution.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "kernels/session/build_options.h"

namespace lookalike {
namespace {

// Rows of a filter whose weights kVectors keeps in registers at once.
constexpr std::size_t kMaxChunkRows = 11;

// A work-group and its tile of the result, in pixels.
struct Tiling {
  std::size_t lanes;
  std::size_t group_rows;
  std::size_t rows;          // per item
  std::size_t tile_columns;  // per group
};

constexpr Tiling kDirect{32, 8, 1, 32};
constexpr Tiling kTiled{32, 8, 2, 128};  // and kRegisters: 7 x 7 on an H200 (kernels/README.md)
constexpr Tiling kRegisters{32, 8, 5, 128};
constexpr Tiling kGpuSeparable{32, 8, 8, 32};
constexpr Tiling kCpuSeparable{1, 1, 16, 64};
// 4 rows of 2 vectors: 8 sums, the weights of a column of the filter and the pixels fit the 32
// registers of AVX-512 (EPYC, PoCL 3.1: 168 GFLOP/s against 112 with 8 rows).
constexpr Tiling kVectors{1, 1, 4, 4096};
constexpr std::size_t kVectorsAcross = 2;
constexpr std::size_t kVectorWidth = 16;

Tiling tiling(ConvolutionKernel kernel, bool is_cpu) {
  switch (kernel) {
    case ConvolutionKernel::kTiled:
      return kTiled;
    case ConvolutionKernel::kRegisters:
      return kRegisters;
    case ConvolutionKernel::kVectors:
      return kVectors;
    case ConvolutionKernel::kSeparable:
      return is_cpu ? kCpuSeparable : kGpuSeparable;
    case ConvolutionKernel::kDirect:
    case ConvolutionKernel::kAuto:
      break;
  }
  return kDirect;
}

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

// As Block in registers.cl.
struct Block {
  cl_int first_row = 0;
  cl_int first_column = 0;
  cl_int items_down = 0;
  cl_int items_across = 0;
  cl_int edge_groups = 0;
};

// How many steps go into the result from `first` to `end` where the last one's window, which begins
// `before` pixels in front of it, must end within the image's pixels.
cl_int steps_inside(cl_int first, cl_int end, cl_int before, cl_int window, cl_int pixels,
                    cl_int step) {
  const cl_int room = std::min(end - first - step, pixels - window - (first - before));
  return room < 0 ? 0 : room / step + 1;
}

Block block_inside(const Shape& shape, const Tiling& tile) {
  const auto rows = static_cast<cl_int>(tile.rows);
  const auto group_items = static_cast<std::int64_t>(tile.lanes * tile.group_rows);
  const cl_int shift = (4 - shape.left % 4) % 4;
  const cl_int window = (shift + shape.filter_columns + 6) / 4 * 4;
  Block block{.first_row = shape.top, .first_column = shape.left + shift};
  block.items_down = steps_inside(block.first_row, shape.result_rows, shape.top,
                                  rows + shape.filter_rows - 1, shape.rows, rows);
  block.items_across = steps_inside(block.first_column, shape.result_columns, shape.left + shift,
                                    window, shape.columns, 4);
  if (block.items_down == 0 || block.items_across == 0) block = {};
  const std::int64_t pixels = std::int64_t{shape.result_rows} * shape.result_columns;
  const std::int64_t inside = std::int64_t{block.items_down} * rows * block.items_across * 4;
  block.edge_groups = static_cast<cl_int>((pixels - inside + group_items - 1) / group_items);
  return block;
}

cl::NDRange items_of_tiles(const Shape& shape, const Tiling& tile) {
  const std::size_t tile_rows = tile.group_rows * tile.rows;
  const auto rows = static_cast<std::size_t>(shape.result_rows);
  const auto columns = static_cast<std::size_t>(shape.result_columns);
  return {parts(columns, tile.tile_columns) * tile.lanes, parts(rows, tile_rows) * tile.group_rows};
}

// Groups in one row: those of the pixels around the block, then the block's row by row.
cl::NDRange items_of_block(const Block& block, const Tiling& tile) {
  const auto across = static_cast<std::size_t>(block.items_across);
  const auto down = static_cast<std::size_t>(block.items_down);
  const std::size_t groups = static_cast<std::size_t>(block.edge_groups) +
                             parts(across, tile.lanes) * parts(down, tile.group_rows);
  return {groups * tile.lanes, tile.group_rows};
}

// As few chunks as there can be, and as even.
std::size_t chunk_rows(std::size_t filter_rows) {
  return filter_rows / parts(filter_rows, kMaxChunkRows);
}

// Only what a kernel must know when it is compiled, so that filters share programs.
std::string filter_options(ConvolutionKernel kernel, bool is_cpu, std::size_t height,
                           std::size_t width, Border border) {
  const Tiling tile = tiling(kernel, is_cpu);
  switch (kernel) {
    case ConvolutionKernel::kTiled:
      return define("FILTER_ROWS", height) + define("FILTER_COLUMNS", width);
    case ConvolutionKernel::kRegisters:
      return define("FILTER_ROWS", height) + define("FILTER_COLUMNS", width) +
             define("CENTRED", border == Border::kValid ? 0 : 1);
    case ConvolutionKernel::kVectors:
      return define("CHUNK", chunk_rows(height)) + define("BAND", tile.tile_columns) +
             define("VECTORS", kVectorsAcross);
    case ConvolutionKernel::kSeparable:
      return define("WIDTH", is_cpu ? kVectorWidth : 1) +
             define("TILE_LANES", tile.tile_columns / (is_cpu ? kVectorWidth : 1));
    case ConvolutionKernel::kDirect:
    case ConvolutionKernel::kAuto:
      break;
  }
  return "";
}

cl::Kernel build(OpenClSession& session, ConvolutionKernel kernel, std::size_t height,
                 std::size_t width, Border border, bool aligned) {
  const std::string name(to_string(kernel));
  const Tiling tile = tiling(kernel, session.is_cpu());
  const std::string own = "convolution/" + name + ".cl";
  const std::vector<std::string> sources =
      session.is_cpu()
          ? std::vector<std::string>{"convolution/image_rows.cl", "convolution/float_rows.cl", own}
          : std::vector<std::string>{"convolution/image_rows.cl", own};
  std::string options = "-cl-mad-enable" + define("LANES", tile.lanes) +
                        define("GROUP_ROWS", tile.group_rows) + define("ROWS", tile.rows) +
                        filter_options(kernel, session.is_cpu(), height, width, border);
  if (kernel == ConvolutionKernel::kRegisters) {
    options += define("ALIGNED", aligned ? 1 : 0);
    if (session.device().is_nvidia()) options += " -DPTX";
  }
  return session.kernel(sources, "correlate_" + name, options);
}

ConvolutionKernel resolve(ConvolutionKernel kernel, OpenClSession& session,
                          MatrixView<const float> filter,
                          const std::optional<SeparableFilter>& parts) {
  require(filter.size() > 0, "Convolution: the filter is empty");
  const std::vector<ConvolutionKernel> kernels = convolution_kernels(session, filter, parts);
  if (kernel == ConvolutionKernel::kAuto) {
    return choose_variant(session.tuning(), "convolution",
                          {{"height", filter.rows()}, {"width", filter.cols()}}, kernels);
  }
  if (std::find(kernels.begin(), kernels.end(), kernel) != kernels.end()) return kernel;
  throw Error(ErrorKind::kDevice,
              "convolution: kernel '" + std::string(to_string(kernel)) +
                  "' does not take this filter of " + std::to_string(filter.rows()) + " x " +
                  std::to_string(filter.cols()) + " on " + session.device().name);
}

std::vector<float> weights_of(ConvolutionKernel kernel, MatrixView<const float> filter,
                              const std::optional<SeparableFilter>& parts) {
  if (kernel != ConvolutionKernel::kSeparable) {
    return {filter.data(), filter.data() + filter.size()};
  }
  std::vector<float> weights = parts->column;
  weights.insert(weights.end(), parts->row.begin(), parts->row.end());
  return weights;
}

// The weights of the filter turned by 180 degrees; a column and a row turn each by itself.
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
    : Convolution(session, filter, separate(filter), border, kernel) {}

Convolution::Convolution(OpenClSession& session, MatrixView<const float> filter,
                         const std::optional<SeparableFilter>& parts, Border border,
                         ConvolutionKernel kernel)
    : session_(session),
      height_(filter.rows()),
      width_(filter.cols()),
      border_(border),
      kernel_(resolve(kernel, session, filter, parts)),
      weights_(hold(weights_of(kernel_, filter, parts))),
      turned_weights_(hold(turned(weights_.values, kernel_, height_))) {}

Convolution::Weights Convolution::hold(std::vector<float> values) {
  Weights weights{.values = std::move(values)};
  if (kernel_ != ConvolutionKernel::kTiled) weights.buffer = session_.upload<float>(weights.values);
  return weights;
}

std::size_t Convolution::fitting(std::size_t image_side, std::size_t filter_side) const {
  if (border_ != Border::kValid) return image_side;
  return image_side < filter_side ? 0 : image_side - filter_side + 1;
}

// Arguments from the fourth on.
void Convolution::set_weights(cl::Kernel& kernel, const Weights& weights) {
  if (kernel_ == ConvolutionKernel::kTiled || kernel_ == ConvolutionKernel::kRegisters) {
    kernel.setArg(3, weights.values.size() * sizeof(float), weights.values.data());
    if (kernel_ == ConvolutionKernel::kRegisters) kernel.setArg(4, weights.buffer);
    return;
  }
  kernel.setArg(3, weights.buffer);
  if (kernel_ != ConvolutionKernel::kSeparable) return;
  const Tiling tile = tiling(kernel_, session_.is_cpu());
  const std::size_t filtered_rows = tile.group_rows * tile.rows + height_ - 1;
  kernel.setArg(4, cl::Local(filtered_rows * tile.tile_columns * sizeof(float)));
}

void Convolution::run(const Weights& weights, const cl::Buffer& image, std::size_t rows,
                      std::size_t columns, const cl::Buffer& result) {
  constexpr std::size_t kMaxImageSide = std::numeric_limits<std::int32_t>::max() - 65536;
  require(rows < kMaxImageSide && columns < kMaxImageSide, "Convolution: a side is too large");
  const auto to_int = [](std::size_t value) { return static_cast<cl_int>(value); };
  const bool centred = border_ != Border::kValid;
  const Shape shape{to_int(rows),
                    to_int(columns),
                    to_int(result_rows(rows)),
                    to_int(result_columns(columns)),
                    to_int(height_),
                    to_int(width_),
                    to_int(centred ? height_ / 2 : 0),
                    to_int(centred ? width_ / 2 : 0),
                    to_int(static_cast<std::size_t>(border_))};
  const bool aligned = columns % 4 == 0;
  cl::Kernel& kernel = correlate_[aligned ? 1 : 0];
  if (kernel() == nullptr) kernel = build(session_, kernel_, height_, width_, border_, aligned);
  set_arguments(kernel, image, result, shape);
  set_weights(kernel, weights);
  const Tiling tile = tiling(kernel_, session_.is_cpu());
  cl::NDRange items = items_of_tiles(shape, tile);
  if (kernel_ == ConvolutionKernel::kRegisters) {
    const Block block = block_inside(shape, tile);
    kernel.setArg(5, block);
    items = items_of_block(block, tile);
  }
  session_.launch(kernel, "convolution", items, {{tile.lanes, tile.group_rows}});
}

std::vector<float> Convolution::run(const Weights& weights, MatrixView<const float> image) {
  std::vector<float> result(result_rows(image.rows()) * result_columns(image.cols()));
  if (result.empty()) return result;
  const cl::Buffer from = session_.upload(std::span(image.data(), image.size()));
  const cl::Buffer to = session_.allocate(result.size() * sizeof(float));
  run(weights, from, image.rows(), image.cols(), to);
  session_.read(to, std::span(result));
  return result;
}

void Convolution::correlate(const cl::Buffer& image, std::size_t rows, std::size_t columns,
                            const cl::Buffer& result) {
  run(weights_, image, rows, columns, result);
}

void Convolution::convolve(const cl::Buffer& image, std::size_t rows, std::size_t columns,
                           const cl::Buffer& result) {
  run(turned_weights_, image, rows, columns, result);
}

std::vector<float> Convolution::correlate(MatrixView<const float> image) {
  return run(weights_, image);
}

std::vector<float> Convolution::convolve(MatrixView<const float> image) {
  return run(turned_weights_, image);
}

}  // namespace lookalike
