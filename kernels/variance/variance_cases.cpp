#include "kernels/cases.h"
#include "kernels/inputs.h"
#include "kernels/variance/variance.h"

namespace lookalike {
namespace {

struct Size {
  std::size_t images;
  int width;
  int height;
};

std::vector<Size> sizes_for(bool is_cpu, CaseScale scale) {
  switch (scale) {
    case CaseScale::kSimulator:
    case CaseScale::kSelfTest:
      return {{2, 311, 321}};
    case CaseScale::kTest: {
      std::vector<Size> sizes = {{0, 5, 5}, {2, 0, 0}, {3, 5, 0}, {70, 9, 7}};
      for (const int pixels : {1, 7, 15, 16, 17, 4095, 4097, 65535, 65536, 65537, 131072, 131089}) {
        sizes.push_back({2, pixels, 1});
      }
      return sizes;
    }
    case CaseScale::kQuick:
      return {{3, 320, 240}};
    case CaseScale::kTuning:
      return {{1, 1024, 1024}, {64, 320, 240}, {32, 1024, 1024}};
    case CaseScale::kFull:
      break;
  }
  return {{64, 320, 240}, {is_cpu ? 100U : 1000U, 1024, 1024}};
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

class Run : public CaseRun {
 public:
  Run(OpenClSession& session, const Inputs& inputs, Reduction reduction)
      : inputs_(inputs), variance_(session, reduction) {}

  void solve() override { sums_ = variance_.compute(inputs_.images); }

  std::string check() override {
    solve();
    if (sums_.size() != inputs_.images.size()) return "sums are missing";
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      if (sums_[i] == variance_reference(inputs_.images[i])) continue;
      return "the sums of image " + std::to_string(i) + " are wrong";
    }
    return "";
  }

 private:
  const Inputs& inputs_;
  ImageVariance variance_;
  std::vector<PixelSums> sums_;
};

}  // namespace

std::vector<KernelCase> variance_cases(OpenClSession& session, CaseScale scale) {
  std::vector<KernelCase> cases;
  for (const Size& size : sizes_for(session.is_cpu(), scale)) {
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
    cases.push_back(with_variants<Run>(std::move(problem), session, reductions(session), inputs));
  }
  return cases;
}

}  // namespace lookalike
