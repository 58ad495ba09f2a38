#include "kernels/warp/warp.h"

#include "base/error.h"
#include "kernels/session/build_options.h"

namespace lookalike {
namespace {

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
      warp_(session, {"warp/warp.cl"}, "warp",
            define("MAX_SAMPLES", kMaxWarpSamples) +
                define("EDGE_SLACK", static_cast<float>(kWarpEdgeSlack))) {}

Warped Warp::warp(const ImageView& input, const Homography& output_to_input, int width,
                  int height) {
  require(width >= 0 && height >= 0, "Warp::warp: the output's size is negative");
  Warped result{GrayImage(width, height), GrayImage(width, height)};
  if (input.empty() || result.image.empty()) return result;
  const std::size_t pixels = result.image.pixels.size();
  const cl::Buffer source = session_.upload<std::uint8_t>({input.pixels, input.size()});
  const cl::Buffer image = session_.allocate(pixels);
  const cl::Buffer mask = session_.allocate(pixels);
  set_arguments(warp_.get(), source, input.width, input.height,
                seen_from_centre(output_to_input, width, height), width, height, image, mask);
  session_.launch(warp_.get(), "warp", {to_size(width), to_size(height)}, cl::NDRange(16, 4));
  session_.read<std::uint8_t>(image, result.image.pixels);
  session_.read<std::uint8_t>(mask, result.mask.pixels);
  return result;
}

}  // namespace lookalike
