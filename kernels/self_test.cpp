#include "kernels/self_test.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <utility>

#include "kernels/assign/assign.h"
#include "kernels/assign/synthetic_descriptors.h"
#include "kernels/convolution/convolution.h"
#include "kernels/correlation/correlation.h"
#include "kernels/histogram/histogram.h"
#include "kernels/integral_image/integral_image.h"
#include "kernels/pose_search/pose_search.h"
#include "kernels/surf/surf.h"
#include "kernels/transpose/transpose.h"
#include "kernels/variance/variance.h"
#include "kernels/warp/warp.h"
#include "kernels/workload/inputs.h"

namespace lookalike {
namespace {

constexpr std::uint32_t kSeed = 1;

// Says what went wrong, or nothing when all is well.
using Check = std::function<std::string(OpenClSession&)>;

struct SelfTest {
  std::string name;
  Check check;
};

std::string check_assign(OpenClSession& session, AssignKernel kernel, SelfTestScale scale) {
  constexpr std::size_t kDimensions = 64;
  const bool tiny = scale == SelfTestScale::kTiny;
  const std::vector<float> words = synthetic_descriptors(tiny ? 40 : 300, kDimensions, kSeed);
  const std::vector<float> descriptors =
      synthetic_descriptors(tiny ? 35 : 150, kDimensions, kSeed + 1);
  const MatrixView<const float> word_view(words, kDimensions);
  const MatrixView<const float> view(descriptors, kDimensions);
  WordAssigner assigner(session, word_view, kernel);
  return is_nearest(word_view, view, 1, assigner.assign(view))
             ? ""
             : "a word is not the nearest, or its distance is wrong";
}

std::string check_histogram(OpenClSession& session, HistogramKernel kernel) {
  constexpr std::uint32_t kWords = 5000;
  std::mt19937 generator(kSeed);
  std::vector<std::uint32_t> words(300);
  for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(generator() % kWords);
  const std::vector<std::uint32_t> offsets = {0, 99, 99, 300};
  const bool agrees = WordHistograms(session, kWords, kernel).count(words, offsets) ==
                      histogram_reference(words, offsets, kWords);
  return agrees ? "" : "a word is miscounted";
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

std::string check_transpose(OpenClSession& session, TransposeKernel kernel) {
  const std::vector<float> values = synthetic_descriptors(101, 64, kSeed);
  const MatrixView<const float> matrix(values, 64);
  const GrayImage image = noise_picture(90, 61, kSeed);
  Transpose transpose(session, kernel);
  const bool agrees =
      transpose.transpose(matrix) == transpose_reference(matrix) &&
      transpose.transpose(image.view()).pixels == transpose_reference(image.view()).pixels;
  return agrees ? "" : "a value is not in its place";
}

// 1 2 1 by 1 2 1, which every kernel takes.
MatrixView<const float> binomial_filter() {
  static constexpr std::array<float, 9> kFilter = {1, 2, 1, 2, 4, 2, 1, 2, 1};
  return {kFilter.data(), 3, 3};
}

std::string check_convolution(OpenClSession& session, ConvolutionKernel kernel) {
  const std::vector<float> values = synthetic_descriptors(61, 88, kSeed);
  const MatrixView<const float> image(values, 88);
  Convolution convolution(session, binomial_filter(), Border::kReflect, kernel);
  const std::vector<float> result = convolution.convolve(image);
  const std::vector<double> expected =
      convolve_reference(image, binomial_filter(), Border::kReflect);
  const bool agrees =
      std::equal(result.begin(), result.end(), expected.begin(), expected.end(),
                 [](float found, double right) { return std::abs(found - right) <= 1e-5; });
  return agrees ? "" : "a pixel is off by more than 1e-5";
}

std::string check_integral_image(OpenClSession& session, IntegralKernel kernel) {
  const GrayImage image = noise_picture(150, 61, kSeed);
  const bool agrees = ImageIntegral(session, kernel).compute(image.view()) ==
                      integral_image_reference(image.view());
  return agrees ? "" : "a sum is wrong";
}

std::string check_correlation(OpenClSession& session, CorrelationKernel kernel,
                              SelfTestScale scale) {
  const bool tiny = scale == SelfTestScale::kTiny;
  const GrayImage image = noise_picture(tiny ? 26 : 90, tiny ? 21 : 61, kSeed);
  const GrayImage pattern = noise_picture(tiny ? 5 : 19, tiny ? 6 : 23, kSeed + 1);
  const std::vector<float> map =
      Correlation(session, {.kernel = kernel}).map(image.view(), pattern.view());
  const std::vector<double> expected = correlation_reference(image.view(), pattern.view());
  const bool agrees =
      std::equal(map.begin(), map.end(), expected.begin(), expected.end(),
                 [](float found, double right) { return std::abs(found - right) <= 1e-6; });
  return agrees ? "" : "a correlation is off by more than 1e-6";
}

std::string check_warp(OpenClSession& session) {
  const GrayImage image = noise_picture(90, 61, kSeed);
  const Homography map{{1.9, -0.4, 7, 0.3, 1.2, -3, 1e-3, 2e-3, 1}};
  const Warped warped = Warp(session).warp(image.view(), map, 47, 40);
  const Warped expected = warp_reference(image.view(), map, 47, 40);
  if (warped.mask.pixels != expected.mask.pixels) return "a pixel is wrongly defined or undefined";
  const bool agrees = std::equal(warped.image.pixels.begin(), warped.image.pixels.end(),
                                 expected.image.pixels.begin(),
                                 [](int found, int right) { return std::abs(found - right) <= 1; });
  return agrees ? "" : "a pixel is off by more than one grey level";
}

// Squares of random grey, whose corners and middles are features.
GrayImage random_squares(int width, int height, int side) {
  const GrayImage greys = noise_picture(width / side + 1, height / side + 1, kSeed);
  GrayImage image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) image.at(x, y) = greys.view().at(x / side, y / side);
  }
  return image;
}

// Whether the features have this one: within 0.5 px, with the same sign and nearly its descriptor.
bool have(const FeatureSet& features, const FeatureSet& wanted, std::size_t i) {
  const Keypoint& one = wanted.keypoints[i];
  const std::span<const float> descriptor = wanted.descriptor_matrix().row(i);
  for (std::size_t j = 0; j < features.size(); ++j) {
    const Keypoint& other = features.keypoints[j];
    if (std::hypot(one.x - other.x, one.y - other.y) > 0.5F ||
        one.laplacian_sign != other.laplacian_sign) {
      continue;
    }
    const std::span<const float> candidate = features.descriptor_matrix().row(j);
    const float square =
        std::transform_reduce(descriptor.begin(), descriptor.end(), candidate.begin(), 0.0F,
                              std::plus<>(), [](float a, float b) { return (a - b) * (a - b); });
    if (square <= 0.03F * 0.03F) return true;
  }
  return false;
}

std::string check_surf(OpenClSession& session, SurfKernel kernel, SelfTestScale scale) {
  const bool tiny = scale == SelfTestScale::kTiny;
  const GrayImage image = tiny ? random_squares(48, 40, 10) : random_squares(160, 120, 10);
  const ImageView view = image.view();
  const FeatureSet found = Surf(session, {}, kernel).extract({&view, 1}).front();
  const FeatureSet expected = surf_reference(view, {});
  std::size_t agreeing = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) agreeing += have(found, expected, i) ? 1 : 0;
  if (found.size() != expected.size()) return "the number of features is wrong";
  return agreeing * 100 >= expected.size() * 99 ? "" : "more than 1 % of the features are off";
}

// A part of the image, to be found again where it was.
PoseObject part_of(const ImageView& image, int left, int top, int width, int height) {
  PoseObject part;
  part.width = width;
  part.height = height;
  part.centre = {(width - 1) / 2.0, (height - 1) / 2.0};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      part.pixels.push_back(static_cast<float>(image.at(left + x, top + y)));
      part.mask.push_back(255);
      part.points.push_back({x - part.centre.x, y - part.centre.y});
    }
  }
  return part;
}

std::string check_pose_search(OpenClSession& session) {
  const GrayImage image = noise_picture(80, 60, kSeed);
  const PoseObject object = part_of(image.view(), 30, 20, 20, 16);
  const std::array<TurnScale, 2> poses = {TurnScale{0, 1}, TurnScale{0.6, 1.1}};
  ScenePyramid pyramid(session);
  pyramid.load(image.view(), 1, 20);
  PoseMap map;
  const PosePeaks found =
      PoseSearch(session).search(pyramid.level(0), object, poses, poses.size(), 0.9F, false, &map);
  const PlainLevel plain = scene_pyramid_reference(image.view(), 1).front();
  std::vector<float> expected = pose_scores_reference(plain, object, poses[0], false);
  const std::vector<float> turned = pose_scores_reference(plain, object, poses[1], false);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = std::max(expected[i], turned[i]);
  if (found.peaks.size() != 1 || found.peaks[0].x != 39 || found.peaks[0].y != 27) {
    return "an object is not found at its place";
  }
  const bool agrees =
      std::equal(map.scores.begin(), map.scores.end(), expected.begin(), expected.end(),
                 [](float score, float right) { return std::abs(score - right) <= 1e-3F; });
  return agrees ? "" : "a score is off by more than 1e-3";
}

// Trying the forms that may not work takes a simulator minutes.
std::vector<CorrelationKernel> correlation_forms(OpenClSession& session, SelfTestScale scale) {
  if (scale == SelfTestScale::kUsual) return correlation_kernels(session);
  return {CorrelationKernel::kPerPosition, CorrelationKernel::kTiled, CorrelationKernel::kBlocked,
          CorrelationKernel::kVector};
}

// One test for each variant of a kernel.
template <typename Variant, typename CheckVariant>
void add(std::vector<SelfTest>& tests, const std::string& kernel,
         const std::vector<Variant>& variants, const CheckVariant& check) {
  for (const Variant variant : variants) {
    tests.push_back({kernel + ' ' + std::string(to_string(variant)),
                     [=](OpenClSession& session) { return check(session, variant); }});
  }
}

// A check that goes by the scale, as add() takes it.
template <typename Variant>
auto at_scale(std::string (*check)(OpenClSession&, Variant, SelfTestScale), SelfTestScale scale) {
  return [=](OpenClSession& session, Variant variant) { return check(session, variant, scale); };
}

std::vector<SelfTest> tests_for(OpenClSession& session, SelfTestScale scale) {
  std::vector<SelfTest> tests;
  add(tests, "assign", assign_kernels(session), at_scale(check_assign, scale));
  add(tests, "histogram", histogram_kernels(session), check_histogram);
  add(tests, "variance", reductions(session), check_variance);
  add(tests, "transpose", transpose_kernels(session), check_transpose);
  add(tests, "convolution", convolution_kernels(session, binomial_filter()), check_convolution);
  add(tests, "integral image", integral_kernels(session, 1), check_integral_image);
  add(tests, "surf", surf_kernels(session), at_scale(check_surf, scale));
  add(tests, "correlation", correlation_forms(session, scale), at_scale(check_correlation, scale));
  tests.push_back({"warp", check_warp});
  tests.push_back({"pose search", check_pose_search});
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

std::vector<SelfTestResult> run_self_tests(OpenClSession& session, SelfTestScale scale) {
  std::vector<SelfTestResult> results;
  for (const SelfTest& test : tests_for(session, scale)) results.push_back(run(test, session));
  return results;
}

}  // namespace lookalike
