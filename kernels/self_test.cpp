#include "kernels/self_test.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <random>
#include <utility>

#include "kernels/assign/assign.h"
#include "kernels/assign/assign_reference.h"
#include "kernels/assign/synthetic_descriptors.h"
#include "kernels/variance/variance.h"
#include "kernels/variance/variance_reference.h"

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
