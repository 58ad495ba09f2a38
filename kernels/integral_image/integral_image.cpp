#include "kernels/integral_image/integral_image.h"

#include <algorithm>
#include <span>
#include <string>

#include "kernels/session/build_options.h"
#include "kernels/transpose/transpose.h"
#include "kernels/variant_names.h"

namespace lookalike {
namespace {

constexpr VariantNames<IntegralKernel, 4> kNames = {{
    {IntegralKernel::kAuto, "auto"},
    {IntegralKernel::kTransposed, "transposed"},
    {IntegralKernel::kTiles, "tiles"},
    {IntegralKernel::kBands, "bands"},
}};

constexpr std::size_t kTileColumns = 128;
constexpr std::size_t kTileRows = 32;
// Columns that an item of sum_bands takes.
constexpr std::size_t kStripColumns = 256;
// So many bands for each of a CPU's cores, so that none waits long for another.
constexpr std::size_t kBandsPerUnit = 4;
// Work-items of a group of scan_down.
constexpr std::size_t kDownItems = 64;

// How a device scans a row.
struct RowScan {
  std::size_t items;
  std::size_t run;
};

RowScan row_scan(const OpenClSession& session) {
  return session.is_cpu() ? RowScan{1, 4096} : RowScan{256, 4};
}

bool contains(const std::vector<IntegralKernel>& kernels, IntegralKernel kernel) {
  return std::find(kernels.begin(), kernels.end(), kernel) != kernels.end();
}

// Sums as wide as they come, for the caller.
template <typename Sum>
std::vector<std::uint64_t> read_sums(OpenClSession& session, const cl::Buffer& sums,
                                     std::size_t count) {
  std::vector<std::uint64_t> result;
  session.view<Sum>(sums, count, [&](std::span<const Sum> values) {
    result.assign(values.begin(), values.end());
  });
  return result;
}

}  // namespace

std::string_view to_string(IntegralKernel kernel) {
  return name_of(kNames, kernel);
}

IntegralKernel parse_integral_kernel(std::string_view name) {
  return variant_of(kNames, "integral image kernel", name);
}

std::vector<IntegralKernel> integral_kernels(const OpenClSession& session, std::size_t pixels) {
  std::vector<IntegralKernel> kernels;
  if (session.is_cpu()) kernels.push_back(IntegralKernel::kBands);
  kernels.push_back(IntegralKernel::kTiles);
  if (integral_value_bytes(pixels) == 4) kernels.push_back(IntegralKernel::kTransposed);
  return kernels;
}

// An image on the device and its integral image.
struct ImageIntegral::Image {
  const cl::Buffer& pixels;
  std::size_t width;
  std::size_t height;
  const cl::Buffer& sums;

  std::size_t value_bytes() const { return integral_value_bytes(width * height); }
  std::string options() const { return define("SUM", value_bytes() == 4 ? "uint" : "ulong"); }
};

ImageIntegral::ImageIntegral(OpenClSession& session, IntegralKernel kernel)
    : session_(session), kernel_(kernel) {
  if (kernel == IntegralKernel::kAuto || contains(integral_kernels(session, 0), kernel)) return;
  throw Error(ErrorKind::kDevice, "integral image: kernel '" + std::string(to_string(kernel)) +
                                      "' does not run on " + session.device().name);
}

IntegralKernel ImageIntegral::kernel_for(std::size_t width, std::size_t height) {
  const std::vector<IntegralKernel> kernels = integral_kernels(session_, width * height);
  if (kernel_ == IntegralKernel::kAuto) {
    return choose_variant(session_.tuning(), "integral_image",
                          {{"width", width}, {"height", height}}, kernels);
  }
  if (contains(kernels, kernel_)) return kernel_;
  throw Error(ErrorKind::kDevice, "integral image: kernel '" + std::string(to_string(kernel_)) +
                                      "' does not take an image of " + std::to_string(width) +
                                      " x " + std::to_string(height));
}

void ImageIntegral::compute(const cl::Buffer& pixels, std::size_t width, std::size_t height,
                            const cl::Buffer& sums) {
  const Image image{pixels, width, height, sums};
  if (width == 0 || height == 0) {
    session_.clear(sums, (width + 1) * (height + 1) * image.value_bytes());
    return;
  }
  switch (kernel_for(width, height)) {
    case IntegralKernel::kTransposed:
      run_transposed(image);
      break;
    case IntegralKernel::kBands:
      run_bands(image);
      break;
    case IntegralKernel::kTiles:
    case IntegralKernel::kAuto:
      run_tiles(image);
  }
}

std::vector<std::uint64_t> ImageIntegral::compute(const ImageView& image) {
  const auto width = static_cast<std::size_t>(image.width);
  const auto height = static_cast<std::size_t>(image.height);
  const std::size_t count = (width + 1) * (height + 1);
  const std::size_t value_bytes = integral_value_bytes(image.size());
  const cl::Buffer pixels = session_.upload(std::span(image.pixels, image.size()));
  const cl::Buffer sums = session_.allocate(count * value_bytes);
  compute(pixels, width, height, sums);
  return value_bytes == 4 ? read_sums<cl_uint>(session_, sums, count)
                          : read_sums<cl_ulong>(session_, sums, count);
}

// Transpose moves any 4 bytes as they are.
void ImageIntegral::run_transposed(const Image& image) {
  const RowScan scan = row_scan(session_);
  const std::size_t rows = image.height + 1;
  const std::size_t columns = image.width + 1;
  const cl::Buffer turned = session_.allocate(rows * columns * image.value_bytes());
  cl::Kernel scan_pixels = session_.kernel(
      {"integral_image/row_scan.cl"}, "scan_pixels",
      image.options() + define("GROUP_ITEMS", scan.items) + define("RUN", scan.run));
  set_arguments(scan_pixels, image.pixels, to_uint(image.width), image.sums);
  session_.launch(scan_pixels, "integral_rows", {rows * scan.items}, {{scan.items}});
  Transpose transpose(session_);
  transpose.transpose(image.sums, rows, columns, turned);
  scan_rows(image, turned, columns, rows);
  transpose.transpose(turned, columns, rows, image.sums);
}

void ImageIntegral::run_tiles(const Image& image) {
  const std::size_t tiles = parts(image.width, kTileColumns);
  const std::size_t bands = parts(image.height, kTileRows);
  const cl::Buffer above = session_.allocate(bands * image.width * image.value_bytes());
  const cl::Buffer row_sums = session_.allocate(image.height * tiles * image.value_bytes());
  const std::string options =
      image.options() + define("TILE_COLUMNS", kTileColumns) + define("TILE_ROWS", kTileRows);
  const cl_uint width = to_uint(image.width);
  const cl_uint height = to_uint(image.height);
  cl::Kernel sum_tiles = session_.kernel({"integral_image/tiles.cl"}, "sum_tiles", options);
  set_arguments(sum_tiles, image.pixels, width, height, above, row_sums);
  session_.launch(sum_tiles, "integral_sums", {tiles * kTileColumns, bands}, {{kTileColumns, 1}});
  scan_down(image, above, bands);
  scan_rows(image, above, bands, image.width);
  cl::Kernel write_tiles = session_.kernel({"integral_image/tiles.cl"}, "write_tiles", options);
  set_arguments(write_tiles, image.pixels, width, height, above, row_sums, image.sums);
  session_.launch(write_tiles, "integral_tiles", {tiles * kTileColumns, bands},
                  {{kTileColumns, 1}});
}

void ImageIntegral::run_bands(const Image& image) {
  const std::size_t band_rows =
      parts(image.height, kBandsPerUnit * session_.device().compute_units);
  const std::size_t bands = parts(image.height, band_rows);
  const cl::Buffer above = session_.allocate(bands * image.width * image.value_bytes());
  const cl_uint width = to_uint(image.width);
  const cl_uint height = to_uint(image.height);
  const std::string options =
      image.options() + define("STRIP", kStripColumns) +
      define("CONVERT_SUM16", image.value_bytes() == 4 ? "convert_uint16" : "convert_ulong16");
  cl::Kernel sum_bands = session_.kernel({"integral_image/bands.cl"}, "sum_bands", options);
  set_arguments(sum_bands, image.pixels, width, height, to_uint(band_rows), above);
  session_.launch(sum_bands, "integral_sums", {parts(image.width, kStripColumns), bands}, {{1, 1}});
  scan_down(image, above, bands);
  cl::Kernel write_bands = session_.kernel({"integral_image/bands.cl"}, "write_bands", options);
  set_arguments(write_bands, image.pixels, width, height, to_uint(band_rows), above, image.sums);
  session_.launch(write_bands, "integral_bands", {bands}, {{1}});
}

// columns [bands][width] becomes the sums of the bands above.
void ImageIntegral::scan_down(const Image& image, const cl::Buffer& columns, std::size_t bands) {
  cl::Kernel kernel = session_.kernel({"integral_image/columns.cl"}, "scan_down", image.options());
  set_arguments(kernel, columns, to_uint(bands), to_uint(image.width));
  session_.launch(kernel, "integral_down", {image.width}, {{kDownItems}});
}

// values [rows][columns] becomes running sums along rows.
void ImageIntegral::scan_rows(const Image& image, const cl::Buffer& values, std::size_t rows,
                              std::size_t columns) {
  const RowScan scan = row_scan(session_);
  cl::Kernel kernel = session_.kernel(
      {"integral_image/row_scan.cl"}, "scan_sums",
      image.options() + define("GROUP_ITEMS", scan.items) + define("RUN", scan.run));
  set_arguments(kernel, values, to_uint(columns));
  session_.launch(kernel, "integral_rows", {rows * scan.items}, {{scan.items}});
}

}  // namespace lookalike
