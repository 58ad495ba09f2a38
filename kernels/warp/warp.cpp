#include "kernels/warp/warp.h"

#include <algorithm>
#include <cstddef>

#include "base/error.h"
#include "kernels/session/build_options.h"

namespace lookalike {
namespace {

// Output pixels per item on a CPU: a vector.
constexpr std::size_t kCpuRun = 16;

// Returns the homography as the kernel takes it, with the output's centre on the positive side of
// the horizon.
cl_float16 seen_from_centre(const Homography& map, int width, int height) {
  const double w = map.h[6] * 0.5 * (width - 1) + map.h[7] * 0.5 * (height - 1) + map.h[8];
  cl_float16 values{};
  for (std::size_t i = 0; i < map.h.size(); ++i) {
    values.s[i] = static_cast<float>(w < 0 ? -map.h[i] : map.h[i]);
  }
  return values;
}

}  // namespace

Warp::Warp(OpenClSession& session)
    : session_(session),
      run_(session.is_cpu() ? kCpuRun : 1),
      warp_(session, {"warp/warp.cl"}, "warp",
            define("MAX_SAMPLES", kMaxWarpSamples) +
                define("EDGE_SLACK", static_cast<float>(kWarpEdgeSlack)) + define("RUN", run_)) {}

Warped Warp::warp(const ImageView& input, const Homography& output_to_input, int width,
                  int height) {
  require(width >= 0 && height >= 0, "Warp::warp: the output's size is negative");
  Warped result{GrayImage(width, height), GrayImage(width, height)};
  if (input.empty() || result.image.empty()) return result;
  const std::size_t pixels = result.image.pixels.size();
  input_.fill<std::uint8_t>(session_, {input.pixels, input.size()});
  output_.reserve(session_, 2 * pixels);
  set_arguments(warp_.get(), input_.buffer, input.width, input.height,
                seen_from_centre(output_to_input, width, height), width, height, output_.buffer);
  const cl::NDRange group = session_.is_cpu() ? cl::NDRange(1, 4) : cl::NDRange(16, 4);
  session_.launch(warp_.get(), "warp", {(to_size(width) + run_ - 1) / run_, to_size(height)},
                  group);
  read_.resize(2 * pixels);
  session_.read<std::uint8_t>(output_.buffer, read_);
  const auto middle = read_.begin() + static_cast<std::ptrdiff_t>(pixels);
  std::copy(read_.begin(), middle, result.image.pixels.begin());
  std::copy(middle, read_.end(), result.mask.pixels.begin());
  return result;
}

}  // namespace lookalike
