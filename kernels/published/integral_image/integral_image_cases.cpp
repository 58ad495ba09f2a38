#include <array>

#include "kernels/cases.h"
#include "kernels/published/integral_image/integral_image.h"
#include "kernels/synthetic_data.h"

namespace lookalike {
namespace {

using Size = std::array<int, 2>;  // width, height

const std::vector<Size> kTestSizes = {{0, 0},    {5, 0},     {0, 3},      {1, 1},    {1, 40},
                                      {40, 1},   {127, 31},  {128, 32},   {129, 33}, {255, 64},
                                      {257, 65}, {1030, 70}, {300, 4100}, {4100, 20}};

const CaseSizes<Size> kSizes = {.self_test = {{150, 61}},
                                .test = kTestSizes,
                                .quick = {{320, 240}},
                                .tuning = {{320, 240}, {1920, 1080}, {4096, 4096}},
                                .full = {{640, 480}, {1920, 1080}, {4096, 4096}}};

// Keeps the image and its sums on the device, so that no run includes the first touch of new
// memory. All sizes are below the 16,843,009 pixels from which sums have 8 bytes.
CaseRun prepare(OpenClSession& session, const GrayImage& image, IntegralKernel kernel) {
  const auto width = static_cast<std::size_t>(image.width);
  const auto height = static_cast<std::size_t>(image.height);
  const auto sums = std::make_shared<std::vector<std::uint32_t>>((width + 1) * (height + 1));
  const cl::Buffer pixels = session.allocate(image.pixels.size());
  const cl::Buffer device_sums = session.allocate(sums->size() * sizeof(std::uint32_t));
  const auto solve = [=, &session, &image, integral = ImageIntegral(session, kernel)]() mutable {
    session.write<std::uint8_t>(pixels, image.pixels);
    integral.compute(pixels, width, height, device_sums);
    session.read<std::uint32_t>(device_sums, *sums);
  };
  return {solve, [=, &image] { return difference(*sums, integral_image_reference(image.view())); }};
}

}  // namespace

std::vector<std::uint64_t> integral_image_reference(const ImageView& image) {
  const auto pitch = static_cast<std::size_t>(image.width) + 1;
  std::vector<std::uint64_t> sums(pitch * (static_cast<std::size_t>(image.height) + 1));
  for (int y = 0; y < image.height; ++y) {
    std::uint64_t row_sum = 0;
    for (int x = 0; x < image.width; ++x) {
      row_sum += image.at(x, y);
      const std::size_t above =
          static_cast<std::size_t>(y) * pitch + static_cast<std::size_t>(x) + 1;
      sums[above + pitch] = sums[above] + row_sum;
    }
  }
  return sums;
}

std::vector<KernelCase> integral_image_cases(OpenClSession& session, CaseScale scale) {
  std::vector<KernelCase> cases;
  for (const auto& [width, height] : kSizes.at(scale)) {
    const std::size_t pixels = ImageView{nullptr, width, height}.size();
    KernelCase problem{.kernel = "integral_image",
                       .sizes = {{"width", to_size(width)}, {"height", to_size(height)}},
                       .unit = WorkUnit::kCopiedBytes,
                       .amount = static_cast<double>(pixels * (1 + integral_value_bytes(pixels)))};
    cases.push_back(with_variants(
        std::move(problem), session, integral_kernels(pixels),
        [width = width, height = height] { return noise_picture(width, height, 1); }, prepare));
  }
  return cases;
}

}  // namespace lookalike
