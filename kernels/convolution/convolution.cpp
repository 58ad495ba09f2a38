#include "kernels/convolution/convolution.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>

#include "kernels/convolution/convolution_tiles.h"
#include "kernels/session/build_options.h"

namespace lookalike {
namespace {

// Rows of a filter whose weights kVectors keeps in registers at once.
constexpr std::size_t kMaxChunkRows = 11;

constexpr std::size_t kVectorsAcross = 2;
constexpr std::size_t kVectorWidth = 16;

// As few chunks as there can be, and as even.
std::size_t chunk_rows(std::size_t filter_rows) {
  return filter_rows / parts(filter_rows, kMaxChunkRows);
}

// Where the filter's first pixel lies before the result's, down its height or along its width.
std::size_t lead(std::size_t side, Border border) {
  return border == Border::kValid ? 0 : side / 2;
}

// Only what a kernel must know when it is compiled, so that filters share programs.
std::string filter_options(ConvolutionKernel kernel, bool is_cpu, std::size_t height,
                           std::size_t width, Border border) {
  const std::size_t tile_columns = convolution_tiling(kernel, is_cpu).tile_columns();
  std::string sides = define("FILTER_ROWS", height) + define("FILTER_COLUMNS", width);
  switch (kernel) {
    case ConvolutionKernel::kTiled:
      return sides;
    case ConvolutionKernel::kRegisters: {
      const QuadWindow window(width, lead(width, border));
      return sides + define("SHIFT", window.shift) + define("WINDOW_QUADS", window.quads);
    }
    case ConvolutionKernel::kVectors:
      return define("CHUNK", chunk_rows(height)) + define("BAND", tile_columns) +
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

// With hints in PTX where the compiler takes them: the loads' needs PTX 7.4 and sm_75. They change
// when pixels arrive and nothing else, so that a program that builds is a program that works.
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
  const ConvolutionTiling tile = convolution_tiling(kernel, session.is_cpu());
  using Sources = std::vector<std::string>;
  const std::string own = "convolution/" + name + ".cl";
  const Sources sources =
      session.is_cpu() ? Sources{"convolution/image_rows.cl", "convolution/float_rows.cl", own}
                       : Sources{"convolution/image_rows.cl", own};
  const std::string options = "-cl-mad-enable" + define("LANES", tile.lanes) +
                              define("GROUP_ROWS", tile.group_rows) + define("ROWS", tile.rows) +
                              filter_options(kernel, session.is_cpu(), height, width, border);
  const auto compiled = [&](const std::string& all) {
    return session.kernel(sources, "correlate_" + name, all);
  };
  if (kernel != ConvolutionKernel::kRegisters) return compiled(options);
  return build_hinted(session, aligned, options, compiled);
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
  const ConvolutionTiling tile = convolution_tiling(kernel_, session_.is_cpu());
  const std::size_t filtered_rows = tile.tile_rows() + height_ - 1;
  kernel.setArg(4, cl::Local(filtered_rows * tile.tile_columns() * sizeof(float)));
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
  const ConvolutionTiling tile = convolution_tiling(kernel_, session_.is_cpu());
  cl::NDRange items = items_of_tiles(shape, tile);
  if (registers) {
    const ConvolutionBlock block = block_inside(shape, tile);
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
