#include <array>

#include "kernels/cases.h"
#include "kernels/inputs.h"
#include "kernels/integral_image/integral_image.h"

namespace lookalike {
namespace {

using Size = std::array<int, 2>;  // width, height

std::vector<Size> sizes_for(CaseScale scale) {
  switch (scale) {
    case CaseScale::kSimulator:
    case CaseScale::kSelfTest:
      return {{150, 61}};
    case CaseScale::kTest:
      return {{0, 0},    {5, 0},    {0, 3},    {1, 1},    {1, 40},    {40, 1},     {127, 31},
              {128, 32}, {129, 33}, {255, 64}, {257, 65}, {1030, 70}, {300, 4100}, {4100, 20}};
    case CaseScale::kQuick:
      return {{320, 240}};
    case CaseScale::kTuning:
      return {{320, 240}, {1920, 1080}, {4096, 4096}};
    case CaseScale::kFull:
      break;
  }
  return {{640, 480}, {1920, 1080}, {4096, 4096}};
}

// The image and its sums stay on the device, so that no run includes the first touch of new memory.
class Run : public CaseRun {
 public:
  Run(OpenClSession& session, const GrayImage& image, IntegralKernel kernel)
      : session_(session),
        image_(image),
        integral_(session, kernel),
        width_(static_cast<std::size_t>(image.width)),
        height_(static_cast<std::size_t>(image.height)),
        pixels_(session.allocate(image.pixels.size())),
        sums_((width_ + 1) * (height_ + 1)),
        device_sums_(session.allocate(sums_.size() * sizeof(std::uint32_t))) {}

  void solve() override {
    session_.write<std::uint8_t>(pixels_, image_.pixels);
    integral_.compute(pixels_, width_, height_, device_sums_);
    session_.read<std::uint32_t>(device_sums_, sums_);
  }

  std::string check() override {
    solve();
    return difference(sums_, integral_image_reference(image_.view()));
  }

 private:
  OpenClSession& session_;
  const GrayImage& image_;
  ImageIntegral integral_;
  std::size_t width_;
  std::size_t height_;
  cl::Buffer pixels_;
  std::vector<std::uint32_t> sums_;  // of up to 16,843,009 pixels
  cl::Buffer device_sums_;
};

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
  for (const auto& [width, height] : sizes_for(scale)) {
    const std::size_t pixels = ImageView{nullptr, width, height}.size();
    KernelCase problem{.kernel = "integral_image",
                       .sizes = {{"width", static_cast<std::uint64_t>(width)},
                                 {"height", static_cast<std::uint64_t>(height)}},
                       .unit = WorkUnit::kCopiedBytes,
                       .amount = static_cast<double>(pixels * (1 + integral_value_bytes(pixels)))};
    cases.push_back(with_variants<Run>(
        std::move(problem), session, integral_kernels(session, pixels),
        [width = width, height = height] { return noise_picture(width, height, 1); }));
  }
  return cases;
}

}  // namespace lookalike
