#include "kernels/published/integral_image/integral_image.h"

#include <string>

#include "kernels/session/build_options.h"
#include "kernels/transpose/transpose.h"

namespace lookalike {
namespace {

constexpr std::size_t kTileColumns = 128;
constexpr std::size_t kTileRows = 32;
// Work-items of a group of scan_down.
constexpr std::size_t kDownItems = 64;

// Returns the number of work-items that scan a row together.
std::size_t row_items(const OpenClSession& session) {
  return session.is_cpu() ? 1 : 256;
}

// An image on the device and its integral image.
struct Image {
  OpenClSession& session;
  const cl::Buffer& pixels;
  std::size_t width;
  std::size_t height;
  const cl::Buffer& sums;

  std::size_t value_bytes() const { return integral_value_bytes(width * height); }
  std::string options() const { return define("SUM", value_bytes() == 4 ? "uint" : "ulong"); }
};

cl::Kernel scan_kernel(const Image& image, const char* name) {
  return image.session.kernel({"published/integral_image/scans.cl"}, name,
                              image.options() + define("GROUP_ITEMS", row_items(image.session)) +
                                  define("RUN", image.session.is_cpu() ? 4096 : 4));
}

// Replaces columns [bands][width] by the sums of the bands above.
void scan_down(const Image& image, const cl::Buffer& columns, std::size_t bands) {
  cl::Kernel kernel = scan_kernel(image, "scan_down");
  set_arguments(kernel, columns, to_uint(bands), to_uint(image.width));
  image.session.launch(kernel, "integral_down", {image.width}, {{kDownItems}});
}

// Replaces values [rows][columns] by their running sums along rows.
void scan_rows(const Image& image, const cl::Buffer& values, std::size_t rows,
               std::size_t columns) {
  cl::Kernel kernel = scan_kernel(image, "scan_sums");
  set_arguments(kernel, values, to_uint(columns));
  const std::size_t items = row_items(image.session);
  image.session.launch(kernel, "integral_rows", {rows * items}, {{items}});
}

// Scans rows, transposes, scans rows, and transposes back; Transpose moves any 4 bytes unchanged.
void run_transposed(const Image& image) {
  const std::size_t rows = image.height + 1;
  const std::size_t columns = image.width + 1;
  const cl::Buffer turned = image.session.allocate(rows * columns * image.value_bytes());
  cl::Kernel scan_pixels = scan_kernel(image, "scan_pixels");
  set_arguments(scan_pixels, image.pixels, to_uint(image.width), image.sums);
  const std::size_t items = row_items(image.session);
  image.session.launch(scan_pixels, "integral_rows", {rows * items}, {{items}});
  Transpose transpose(image.session);
  transpose.transpose(image.sums, rows, columns, turned);
  scan_rows(image, turned, columns, rows);
  transpose.transpose(turned, columns, rows, image.sums);
}

void run_tiles(const Image& image) {
  const std::size_t tiles = parts(image.width, kTileColumns);
  const std::size_t bands = parts(image.height, kTileRows);
  const cl::Buffer above = image.session.allocate(bands * image.width * image.value_bytes());
  const cl::Buffer row_sums = image.session.allocate(image.height * tiles * image.value_bytes());
  const std::string options =
      image.options() + define("TILE_COLUMNS", kTileColumns) + define("TILE_ROWS", kTileRows);
  const cl_uint width = to_uint(image.width);
  const cl_uint height = to_uint(image.height);
  cl::Kernel sum_tiles =
      image.session.kernel({"published/integral_image/tiles.cl"}, "sum_tiles", options);
  set_arguments(sum_tiles, image.pixels, width, height, above, row_sums);
  image.session.launch(sum_tiles, "integral_sums", {tiles * kTileColumns, bands},
                       {{kTileColumns, 1}});
  scan_down(image, above, bands);
  scan_rows(image, above, bands, image.width);
  cl::Kernel write_tiles =
      image.session.kernel({"published/integral_image/tiles.cl"}, "write_tiles", options);
  set_arguments(write_tiles, image.pixels, width, height, above, row_sums, image.sums);
  image.session.launch(write_tiles, "integral_tiles", {tiles * kTileColumns, bands},
                       {{kTileColumns, 1}});
}

}  // namespace

std::vector<IntegralKernel> integral_kernels(std::size_t pixels) {
  if (integral_value_bytes(pixels) > 4) return {IntegralKernel::kTiles};
  return {IntegralKernel::kTiles, IntegralKernel::kTransposed};
}

IntegralKernel ImageIntegral::kernel_for(std::size_t width, std::size_t height) {
  return select_variant(session_, "integral_image", {{"width", width}, {"height", height}},
                        integral_kernels(width * height), kernel_);
}

void ImageIntegral::compute(const cl::Buffer& pixels, std::size_t width, std::size_t height,
                            const cl::Buffer& sums) {
  const Image image{session_, pixels, width, height, sums};
  if (width == 0 || height == 0) {
    session_.clear(sums, (width + 1) * (height + 1) * image.value_bytes());
    return;
  }
  if (kernel_for(width, height) == IntegralKernel::kTransposed) return run_transposed(image);
  run_tiles(image);
}

}  // namespace lookalike
