#include "kernels/cases.h"
#include "kernels/synthetic_data.h"
#include "kernels/variance/variance.h"

namespace lookalike {
namespace {

struct Size {
  std::size_t images;
  int width;
  int height;
};

CaseSizes<Size> sizes_for(bool is_cpu) {
  CaseSizes<Size> sizes = {.self_test = {{2, 311, 321}},
                           .test = {{0, 5, 5}, {2, 0, 0}, {3, 5, 0}, {70, 9, 7}},
                           .quick = {{3, 320, 240}},
                           .tuning = {{1, 1024, 1024}, {64, 320, 240}, {32, 1024, 1024}},
                           .full = {{64, 320, 240}, {is_cpu ? 100U : 1000U, 1024, 1024}}};
  for (const int pixels : {1, 7, 15, 16, 17, 4095, 4097, 65535, 65536, 65537, 131072, 131089}) {
    sizes.test.push_back({2, pixels, 1});
  }
  return sizes;
}

struct Inputs {
  GrayImage pixels;  // of all images
  std::vector<ImageView> images;
};

PixelSums variance_reference(const ImageView& image) {
  PixelSums sums;
  for (const std::uint64_t pixel : std::span(image.pixels, image.size())) {
    ++sums.count;
    sums.sum += pixel;
    sums.sum_of_squares += pixel * pixel;
  }
  return sums;
}

CaseRun prepare(OpenClSession& session, const Inputs& inputs, const std::string& /*variant*/) {
  const auto check = [&inputs](const std::vector<PixelSums>& found) -> std::string {
    std::vector<PixelSums> expected;
    for (const ImageView& image : inputs.images) expected.push_back(variance_reference(image));
    return found == expected ? "" : "the sums of an image are wrong";
  };
  return run_of([&inputs, variance = ImageVariance(
                              session)]() mutable { return variance.compute(inputs.images); },
                check);
}

}  // namespace

std::vector<KernelCase> variance_cases(OpenClSession& session, CaseScale scale) {
  std::vector<KernelCase> cases;
  for (const Size& size : sizes_for(session.is_cpu()).at(scale)) {
    const std::size_t pixels = ImageView{nullptr, size.width, size.height}.size();
    KernelCase problem{.kernel = "variance",
                       .sizes = {{"images", size.images}, {"pixels", pixels}},
                       .unit = WorkUnit::kReadBytes,
                       .amount = static_cast<double>(size.images * pixels)};
    const auto inputs = [size] {
      // Each starts a byte after the one before, at odd addresses too.
      Inputs made{noise_picture(size.width * size.height + static_cast<int>(size.images), 1, 1),
                  {}};
      for (std::size_t i = 0; i < size.images; ++i) {
        made.images.push_back({made.pixels.pixels.data() + i, size.width, size.height});
      }
      return made;
    };
    cases.push_back(with_variants(std::move(problem), session, std::vector<std::string>{"atomic"},
                                  inputs, prepare));
  }
  return cases;
}

}  // namespace lookalike
