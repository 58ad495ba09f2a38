#include "kernels/convolution/convolution_tiles.h"

#include <algorithm>
#include <cstdint>

#include "kernels/session/build_options.h"

namespace lookalike {
namespace {

constexpr ConvolutionTiling kDirect{32, 8, 1, 1};
// 7 x 7 on 4096 x 4096, in sweeps on an H200 (kernels/README.md).
constexpr ConvolutionTiling kTiled{32, 8, 2, 4};
constexpr ConvolutionTiling kRegisters{32, 8, 5, 4};
constexpr ConvolutionTiling kGpuSeparable{32, 8, 8, 1};
constexpr ConvolutionTiling kCpuSeparable{1, 1, 16, 64};
// 4 rows of 2 vectors: 8 sums, the weights of a column of the filter and the pixels fit the 32
// registers of AVX-512 (EPYC, PoCL 3.1: 168 GFLOP/s against 112 with 8 rows).
constexpr ConvolutionTiling kVectors{1, 1, 4, 4096};

// How many steps go into the result from `first` to `end` where the last one's window, which begins
// `before` pixels in front of it, must end within the image's pixels.
cl_int steps_inside(cl_int first, cl_int end, cl_int before, cl_int window, cl_int pixels,
                    cl_int step) {
  const cl_int room = std::min(end - first - step, pixels - window - (first - before));
  return room < 0 ? 0 : room / step + 1;
}

}  // namespace

ConvolutionTiling convolution_tiling(ConvolutionKernel kernel, bool is_cpu) {
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

QuadWindow::QuadWindow(std::size_t filter_columns, std::size_t left)
    : shift((4 - left % 4) % 4), quads(parts(shift + filter_columns + 3, 4)) {}

ConvolutionBlock block_inside(const ConvolutionShape& shape, const ConvolutionTiling& tile) {
  const auto rows = static_cast<cl_int>(tile.rows);
  const auto columns = static_cast<cl_int>(tile.columns);
  const QuadWindow window(static_cast<std::size_t>(shape.filter_columns),
                          static_cast<std::size_t>(shape.left));
  const auto before = shape.left + static_cast<cl_int>(window.shift);
  ConvolutionBlock block{.first_row = shape.top, .first_column = before};
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

cl::NDRange items_of_tiles(const ConvolutionShape& shape, const ConvolutionTiling& tile) {
  const auto rows = static_cast<std::size_t>(shape.result_rows);
  const auto columns = static_cast<std::size_t>(shape.result_columns);
  return {parts(columns, tile.tile_columns()) * tile.lanes,
          parts(rows, tile.tile_rows()) * tile.group_rows};
}

cl::NDRange items_of_block(const ConvolutionBlock& block, const ConvolutionTiling& tile) {
  const auto across = static_cast<std::size_t>(block.items_across);
  const auto down = static_cast<std::size_t>(block.items_down);
  const std::size_t groups = static_cast<std::size_t>(block.edge_groups) +
                             parts(across, tile.lanes) * parts(down, tile.group_rows);
  return {groups * tile.lanes, tile.group_rows};
}

}  // namespace lookalike
