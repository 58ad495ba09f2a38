#pragma once

#include <cstddef>

#include "kernels/convolution/convolution_kernel.h"
#include "kernels/session/opencl.h"

// How the forms of the convolution share out the result among work-groups and work-items.
namespace lookalike {

// A work-group has lanes x group_rows items, and each of them columns x rows pixels of the result.
struct ConvolutionTiling {
  std::size_t lanes;
  std::size_t group_rows;
  std::size_t rows;
  std::size_t columns;

  std::size_t tile_columns() const { return lanes * columns; }
  std::size_t tile_rows() const { return group_rows * rows; }
};

// Of each form; other devices than CPUs may have other tiles.
ConvolutionTiling convolution_tiling(ConvolutionKernel kernel, bool is_cpu);

// As Shape in image_rows.cl.
struct ConvolutionShape {
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

// The columns of pixels that an item of kRegisters loads, in quads that start at multiples of 4 of
// the image: `shift` columns before the first that its 4 results need.
//   left: columns of the filter before the pixel that it gives
struct QuadWindow {
  QuadWindow(std::size_t filter_columns, std::size_t left);

  std::size_t shift;
  std::size_t quads;  // of 4 columns each, that hold the window
};

// As Block in registers.cl.
struct ConvolutionBlock {
  cl_int first_row = 0;
  cl_int first_column = 0;
  cl_int items_down = 0;
  cl_int items_across = 0;
  cl_int edge_groups = 0;
};

// Of kRegisters: the largest block of whole items whose windows lie within the image, empty where
// none does, and how many groups take the pixels outside of it one by one.
ConvolutionBlock block_inside(const ConvolutionShape& shape, const ConvolutionTiling& tile);

// Work-items of a launch: of all forms but kRegisters, whose groups stand in one row: those of the
// pixels around the block, then the block's row by row.
cl::NDRange items_of_tiles(const ConvolutionShape& shape, const ConvolutionTiling& tile);
cl::NDRange items_of_block(const ConvolutionBlock& block, const ConvolutionTiling& tile);

}  // namespace lookalike
