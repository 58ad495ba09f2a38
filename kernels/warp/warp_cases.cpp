#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/image.h"
#include "kernels/cases.h"
#include "kernels/synthetic_data.h"
#include "kernels/warp/warp.h"

namespace lookalike {
namespace {

double sample(const ImageView& image, Point at) {
  const auto pixel = [&](int x, int y) { return static_cast<double>(image.at(x, y)); };
  return bilinear(pixel, image.width, image.height, at.x, at.y);
}

double third_coordinate(const Homography& map, double x, double y) {
  return map.h[6] * x + map.h[7] * y + map.h[8];
}

// Returns input px per output px, along the axis of the output on which that is more.
double shrinking(const Homography& map, int x, int y) {
  const auto& h = map.h;
  const double w = third_coordinate(map, x, y);
  const Point at = map.apply({static_cast<double>(x), static_cast<double>(y)});
  return std::max(std::hypot(h[0] - at.x * h[6], h[3] - at.y * h[6]),
                  std::hypot(h[1] - at.x * h[7], h[4] - at.y * h[7])) /
         std::abs(w);
}

bool is_defined(const ImageView& input, const Homography& map, const Warped& warped, int x, int y) {
  const double rim = 0.5 + kWarpEdgeSlack;
  const Point at = map.apply({static_cast<double>(x), static_cast<double>(y)});
  const double middle =
      third_coordinate(map, 0.5 * (warped.image.width - 1), 0.5 * (warped.image.height - 1));
  const double here = third_coordinate(map, x, y);
  return (here > 0) == (middle >= 0) && here != 0 && at.x >= -rim && at.y >= -rim &&
         at.x <= input.width - 1 + rim && at.y <= input.height - 1 + rim;
}

double mean_of_samples(const ImageView& input, const Homography& map, int x, int y) {
  const int side =
      static_cast<int>(std::clamp(std::rint(shrinking(map, x, y)), 1.0, double{kMaxWarpSamples}));
  double sum = 0;
  for (int row = 0; row < side; ++row) {
    for (int col = 0; col < side; ++col) {
      sum += sample(input, map.apply({x + (col + 0.5) / side - 0.5, y + (row + 0.5) / side - 0.5}));
    }
  }
  return sum / (side * side);
}

struct Size {
  int width;
  int height;
  Homography map;  // from the output's pixels to the input's
  int output_width;
  int output_height;
};

CaseSizes<Size> sizes() {
  const Homography tilted{{1.9, -0.4, 7, 0.3, 1.2, -3, 1e-3, 2e-3, 1}};
  CaseSizes<Size> sizes = {.self_test = {{90, 61, tilted, 47, 40}},
                           .test = {{0, 0, {}, 3, 2}, {8, 8, {}, 0, 5}, {1, 1, {}, 1, 1}}};
  for (const int side : {15, 16, 17}) sizes.test.push_back({90, 61, tilted, side, side / 4 + 1});
  for (const double sign : {1.0, -1.0}) {
    Homography map{{1.2, 0.1, 5, -0.1, 1.1, 9, 1e-3, 2e-3, 1}};
    for (double& entry : map.h) entry *= sign;
    sizes.test.push_back({120, 90, map, 90, 80});
  }
  for (const double shrinking : {0.37, 1.0, 1.7, 2.6, 5.3, 11.0}) {
    const double c = 0.8387 * shrinking;  // turned by 33 degrees
    const double s = 0.5446 * shrinking;
    sizes.test.push_back({120, 90, {{c, -s, 20.2, s, c, 10.7, 0, 0, 1}}, 71, 53});
  }
  return sizes;
}

struct Inputs {
  GrayImage image;
  Size size;
};

CaseRun prepare(OpenClSession& session, const Inputs& inputs, const std::string& /*variant*/) {
  const auto solve = [&inputs, warp = Warp(session)]() mutable {
    const Size& size = inputs.size;
    return warp.warp(inputs.image.view(), size.map, size.output_width, size.output_height);
  };
  const auto check = [&inputs](const Warped& found) {
    const Size& size = inputs.size;
    const Warped expected =
        warp_reference(inputs.image.view(), size.map, size.output_width, size.output_height);
    const std::string mask = difference(found.mask.pixels, expected.mask.pixels);
    if (!mask.empty()) return "mask: " + mask;
    return difference(found.image.pixels, expected.image.pixels, 1);
  };
  return run_of(solve, check);
}

}  // namespace

Warped warp_reference(const ImageView& input, const Homography& output_to_input, int width,
                      int height) {
  Warped warped{GrayImage(width, height), GrayImage(width, height)};
  if (input.empty()) return warped;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      if (!is_defined(input, output_to_input, warped, x, y)) continue;
      const double mean = mean_of_samples(input, output_to_input, x, y);
      warped.image.at(x, y) = static_cast<std::uint8_t>(std::lround(mean));
      warped.mask.at(x, y) = 255;
    }
  }
  return warped;
}

std::vector<KernelCase> warp_cases(OpenClSession& session, CaseScale scale) {
  std::vector<KernelCase> cases;
  for (const Size& size : sizes().at(scale)) {
    KernelCase problem{
        .kernel = "warp",
        .sizes = {{"width", to_size(size.output_width)}, {"height", to_size(size.output_height)}},
        .unit = WorkUnit::kPixels,
        .amount = 1.0 * size.output_width * size.output_height};
    cases.push_back(with_variants(
        std::move(problem), session, std::vector<std::string>{"plain"},
        [=] {
          return Inputs{noise_picture(size.width, size.height, 1), size};
        },
        prepare));
  }
  return cases;
}

}  // namespace lookalike
