#include "kernels/self_test.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <random>
#include <utility>

#include "kernels/assign/assign.h"
#include "kernels/assign/assign_reference.h"
#include "kernels/assign/synthetic_descriptors.h"
#include "kernels/correlation/correlation.h"
#include "kernels/correlation/correlation_reference.h"
#include "kernels/variance/variance.h"
#include "kernels/variance/variance_reference.h"
#include "kernels/warp/warp.h"
#include "kernels/warp/warp_reference.h"

namespace lookalike {
namespace {

constexpr std::uint32_t kSeed = 1;

// Says what went wrong, or nothing when all is well.
using Check = std::function<std::string(OpenClSession&)>;

struct SelfTest {
  std::string name;
  Check check;
};

std::string check_assign(OpenClSession& session, AssignKernel kernel) {
  constexpr std::size_t kDimensions = 64;
  const std::vector<float> words = synthetic_descriptors(300, kDimensions, kSeed);
  const std::vector<float> descriptors = synthetic_descriptors(150, kDimensions, kSeed + 1);
  const MatrixView<const float> word_view(words, kDimensions);
  const MatrixView<const float> view(descriptors, kDimensions);
  WordAssigner assigner(session, word_view, kernel);
  return is_nearest(word_view, view, 1, assigner.assign(view))
             ? ""
             : "a word is not the nearest, or its distance is wrong";
}

std::string check_variance(OpenClSession& session, Reduction reduction) {
  std::mt19937 generator(kSeed);
  std::vector<std::uint8_t> pixels(100'000);
  for (std::uint8_t& pixel : pixels) pixel = static_cast<std::uint8_t>(generator() >> 24U);
  const std::vector<ImageView> images = {{pixels.data(), 311, 321}, {pixels.data() + 1, 17, 5}};
  const std::vector<PixelSums> sums = ImageVariance(session, reduction).compute(images);
  const bool agrees = std::equal(sums.begin(), sums.end(), images.begin(), images.end(),
                                 [](const PixelSums& found, const ImageView& image) {
                                   return found == variance_reference(image);
                                 });
  return agrees ? "" : "the sums of an image are wrong";
}

GrayImage random_image(int width, int height, std::uint32_t seed) {
  std::mt19937 generator(seed);
  GrayImage image(width, height);
  for (std::uint8_t& pixel : image.pixels) pixel = static_cast<std::uint8_t>(generator() >> 24U);
  return image;
}

std::string check_correlation(OpenClSession& session) {
  const GrayImage image = random_image(90, 61, kSeed);
  const GrayImage pattern = random_image(19, 23, kSeed + 1);
  const std::vector<float> map = Correlation(session).map(image.view(), pattern.view());
  const std::vector<double> expected = correlation_reference(image.view(), pattern.view());
  const bool agrees =
      std::equal(map.begin(), map.end(), expected.begin(), expected.end(),
                 [](float found, double right) { return std::abs(found - right) <= 1e-6; });
  return agrees ? "" : "a correlation is off by more than 1e-6";
}

std::string check_warp(OpenClSession& session) {
  const GrayImage image = random_image(90, 61, kSeed);
  const Homography map{{1.9, -0.4, 7, 0.3, 1.2, -3, 1e-3, 2e-3, 1}};
  const Warped warped = Warp(session).warp(image.view(), map, 47, 40);
  const Warped expected = warp_reference(image.view(), map, 47, 40);
  if (warped.mask.pixels != expected.mask.pixels) return "a pixel is wrongly defined or undefined";
  const bool agrees = std::equal(warped.image.pixels.begin(), warped.image.pixels.end(),
                                 expected.image.pixels.begin(),
                                 [](int found, int right) { return std::abs(found - right) <= 1; });
  return agrees ? "" : "a pixel is off by more than one grey level";
}

std::vector<SelfTest> tests_for(OpenClSession& session) {
  std::vector<SelfTest> tests;
  for (const AssignKernel kernel :
       {AssignKernel::kGpu1, AssignKernel::kFused, AssignKernel::kCpu}) {
    tests.push_back({"assign " + std::string(to_string(kernel)),
                     [kernel](OpenClSession& s) { return check_assign(s, kernel); }});
  }
  for (const Reduction reduction : {Reduction::kAtomic, Reduction::kTwoStage}) {
    if (reduction == Reduction::kAtomic && !session.has_int64_atomics()) continue;
    tests.push_back({"variance " + std::string(to_string(reduction)),
                     [reduction](OpenClSession& s) { return check_variance(s, reduction); }});
  }
  tests.push_back({"correlation", check_correlation});
  tests.push_back({"warp", check_warp});
  return tests;
}

SelfTestResult run(const SelfTest& test, OpenClSession& session) {
  const auto start = std::chrono::steady_clock::now();
  SelfTestResult result;
  result.name = test.name;
  try {
    result.detail = test.check(session);
    result.passed = result.detail.empty();
  } catch (const std::exception& error) {
    result.detail = error.what();
  }
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  result.elapsed_ms = elapsed.count();
  return result;
}

}  // namespace

std::vector<SelfTestResult> run_self_tests(OpenClSession& session) {
  std::vector<SelfTestResult> results;
  for (const SelfTest& test : tests_for(session)) results.push_back(run(test, session));
  return results;
}

}  // namespace lookalike
