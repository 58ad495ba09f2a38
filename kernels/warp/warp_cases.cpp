#include "kernels/cases.h"
#include "kernels/inputs.h"
#include "kernels/warp/warp.h"

namespace lookalike {
namespace {

struct Size {
  int width;
  int height;
  Homography map;  // of the output's pixels to the input's
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
  const auto found = std::make_shared<Warped>();
  const auto solve = [=, &inputs, warp = Warp(session)]() mutable {
    const Size& size = inputs.size;
    *found = warp.warp(inputs.image.view(), size.map, size.output_width, size.output_height);
  };
  const auto check = [=, &inputs] {
    const Size& size = inputs.size;
    const Warped expected =
        warp_reference(inputs.image.view(), size.map, size.output_width, size.output_height);
    const std::string mask = difference(found->mask.pixels, expected.mask.pixels);
    if (!mask.empty()) return "mask: " + mask;
    return difference(found->image.pixels, expected.image.pixels, 1);
  };
  return {solve, check};
}

}  // namespace

std::vector<KernelCase> warp_cases(OpenClSession& session, CaseScale scale) {
  std::vector<KernelCase> cases;
  for (const Size& size : sizes().at(scale)) {
    KernelCase problem{.kernel = "warp",
                       .sizes = {{"width", static_cast<std::uint64_t>(size.output_width)},
                                 {"height", static_cast<std::uint64_t>(size.output_height)}},
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
