#include <cmath>
#include <functional>
#include <numeric>

#include "kernels/cases.h"
#include "kernels/surf/surf.h"
#include "kernels/synthetic_data.h"

namespace lookalike {
namespace {

constexpr float kFarthestPx = 0.5F;
constexpr float kFarthestDescriptor = 0.03F;
constexpr double kLeastAlike = 0.99;  // of the features

struct Size {
  int width;
  int height;
  std::size_t images;
  bool is_blocky = false;  // even small pictures of blocks have features
  int max_interval = 0;    // of blocky ones
};

CaseSizes<Size> sizes_for(bool is_cpu) {
  const std::size_t many = is_cpu ? 16 : 256;
  return {.simulator = {{48, 40, 1, true}},
          // The program that indexing and queries use, so that the basic self-tests build no other.
          .self_test = {{160, 120, 1, true, 2}, {480, 360, 1, true, 2}},
          .test = {{0, 0, 1},
                   {1, 1, 1},
                   {20, 26, 1},
                   {160, 120, 0},
                   {160, 120, 1, true},
                   {43, 44, 2, true},
                   {257, 131, 3}},
          .quick = {{160, 120, 1}},
          .tuning = {{320, 240, 16}, {1024, 768, 4}},
          .full = {{320, 240, many}, {640, 480, many}, {1920, 1080, 1}}};
}

// Returns blocks of random grey, whose corners and middles are features.
GrayImage blocky_picture(int width, int height) {
  constexpr int kSide = 10;
  const GrayImage greys = noise_picture(width / kSide + 1, height / kSide + 1, 1);
  GrayImage image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) image.at(x, y) = greys.view().at(x / kSide, y / kSide);
  }
  return image;
}

struct Inputs {
  GrayImage image;
  SurfParameters parameters;
  std::vector<ImageView> batch;  // copies of that image
};

// True if the features have feature i of `wanted`: near it, with its sign and nearly its
// descriptor.
bool have(const FeatureSet& features, const FeatureSet& wanted, std::size_t i) {
  const Keypoint& one = wanted.keypoints[i];
  const std::span<const float> descriptor = wanted.descriptor_matrix().row(i);
  for (std::size_t j = 0; j < features.size(); ++j) {
    const Keypoint& other = features.keypoints[j];
    if (std::hypot(one.x - other.x, one.y - other.y) > kFarthestPx ||
        one.laplacian_sign != other.laplacian_sign) {
      continue;
    }
    const std::span<const float> candidate = features.descriptor_matrix().row(j);
    const float square =
        std::transform_reduce(descriptor.begin(), descriptor.end(), candidate.begin(), 0.0F,
                              std::plus<>(), [](float a, float b) { return (a - b) * (a - b); });
    if (square <= kFarthestDescriptor * kFarthestDescriptor) return true;
  }
  return false;
}

std::string check_features(const FeatureSet& found, const FeatureSet& expected) {
  if (found.size() != expected.size()) {
    return std::to_string(found.size()) + " features, expected " + std::to_string(expected.size());
  }
  std::size_t alike = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) alike += have(found, expected, i) ? 1 : 0;
  if (static_cast<double>(alike) >= kLeastAlike * static_cast<double>(expected.size())) return "";
  return "only " + std::to_string(alike) + " of " + std::to_string(expected.size()) +
         " features are right";
}

CaseRun prepare(OpenClSession& session, const Inputs& inputs, SurfKernel kernel) {
  const auto surf = std::make_shared<Surf>(session, inputs.parameters, kernel);
  const auto check = [&inputs](const std::vector<FeatureSet>& features) -> std::string {
    if (features.size() != inputs.batch.size()) return "features of an image are missing";
    const FeatureSet expected = surf_reference(inputs.image.view(), inputs.parameters);
    for (const FeatureSet& found : features) {
      if (std::string wrong = check_features(found, expected); !wrong.empty()) return wrong;
    }
    return "";
  };
  return run_of([=, &inputs] { return surf->extract(inputs.batch); }, check);
}

}  // namespace

std::vector<KernelCase> surf_cases(OpenClSession& session, CaseScale scale) {
  std::vector<KernelCase> cases;
  for (const Size& size : sizes_for(session.is_cpu()).at(scale)) {
    const std::size_t pixels = ImageView{nullptr, size.width, size.height}.size();
    KernelCase problem{.kernel = "surf",
                       .sizes = {{"images", size.images},
                                 {"width", to_size(size.width)},
                                 {"height", to_size(size.height)}},
                       .unit = WorkUnit::kPixels,
                       .amount = static_cast<double>(size.images * pixels)};
    const auto inputs = [size] {
      Inputs made{textured_picture(size.width, size.height, 1),
                  {.hessian_threshold = kPictureHessianThreshold, .max_interval = 2},
                  {}};
      if (size.is_blocky) {
        made = {blocky_picture(size.width, size.height), {.max_interval = size.max_interval}, {}};
      }
      made.batch.assign(size.images, made.image.view());
      return made;
    };
    cases.push_back(
        with_variants(std::move(problem), session, surf_kernels(session), inputs, prepare));
  }
  return cases;
}

}  // namespace lookalike
