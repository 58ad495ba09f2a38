#include <limits>

#include "base/pair_sums.h"
#include "kernels/cases.h"
#include "kernels/correlation/correlation.h"
#include "kernels/synthetic_data.h"

namespace lookalike {
namespace {

constexpr double kTolerance = 1e-6;

// Images and a pattern to find in each. Neighbours of one size share their image.
struct Problem {
  std::vector<CorrelationSizes> pairs;
  bool double_precision = true;
};

Problem squares(int width, int height, int side, std::size_t patterns) {
  return {std::vector<CorrelationSizes>(patterns, {width, height, side, side})};
}

CaseSizes<Problem> problems() {
  const std::vector<CorrelationSizes> pairs = {
      {1, 2, 1, 2},     {16, 16, 16, 16}, {17, 15, 2, 3},     {48, 48, 24, 24},  {63, 5, 31, 1},
      {64, 70, 1, 33},  {65, 33, 5, 4},   {129, 40, 64, 7},   {130, 66, 65, 34}, {97, 101, 16, 17},
      {300, 9, 201, 9}, {9, 300, 3, 257}, {1101, 5, 1050, 3}, {4, 1100, 2, 1041}};
  return {
      .simulator = {{{{26, 21, 5, 6}}}},
      .self_test = {{{{90, 61, 19, 23}}}},
      .test = {{}, squares(64, 48, 9, 3), {pairs}, {pairs, false}},
      .quick = {squares(160, 120, 16, 1), squares(160, 120, 16, 2)},
      .tuning = {squares(48, 48, 24, 64), squares(640, 480, 16, 1), squares(640, 480, 64, 1),
                 squares(1920, 1080, 16, 1), squares(1920, 1080, 64, 1),
                 squares(1920, 1080, 256, 1), squares(640, 480, 64, 16)},
      .full = {squares(48, 48, 24, 64), squares(512, 512, 16, 1), squares(1024, 1024, 64, 1),
               squares(1920, 1080, 16, 1), squares(1920, 1080, 64, 1), squares(1920, 1080, 128, 1),
               squares(1920, 1080, 256, 1), squares(1920, 1080, 64, 64)}};
}

struct Inputs {
  std::vector<GrayImage> images;
  std::vector<GrayImage> patterns;
  std::vector<CorrelationPair> pairs;  // views of these
  bool double_precision = true;
};

Inputs inputs_of(const Problem& problem) {
  Inputs inputs;
  std::vector<std::size_t> image_of_pair;
  for (const CorrelationSizes& pair : problem.pairs) {
    const bool shared = !inputs.images.empty() && inputs.images.back().width == pair.width &&
                        inputs.images.back().height == pair.height;
    if (!shared) inputs.images.push_back(noise_picture(pair.width, pair.height, 1));
    image_of_pair.push_back(inputs.images.size() - 1);
    inputs.patterns.push_back(
        noise_picture(pair.pattern_width, pair.pattern_height, 2 + inputs.patterns.size()));
  }
  for (std::size_t i = 0; i < image_of_pair.size(); ++i) {
    inputs.pairs.push_back({inputs.images[image_of_pair[i]].view(), inputs.patterns[i].view()});
  }
  inputs.double_precision = problem.double_precision;
  return inputs;
}

// Compares a peak's correlation with the highest of the map, NaN where all are undefined.
std::string check_peak(const std::optional<CorrelationPeak>& peak, const std::vector<double>& map) {
  double highest = NAN;
  for (const double value : map) highest = std::fmax(highest, value);
  const float found = peak ? peak->correlation : NAN;
  return difference(std::vector{found}, std::vector{highest}, kTolerance);
}

CaseRun prepare(OpenClSession& session, const Inputs& inputs, CorrelationKernel kernel) {
  const CorrelationOptions options{.kernel = kernel, .double_precision = inputs.double_precision};
  const auto correlation = std::make_shared<Correlation>(session, options);
  const auto check = [=, &inputs](const Correlation::Peaks& peaks) -> std::string {
    if (peaks.size() != inputs.pairs.size()) return "peaks are missing";
    for (std::size_t i = 0; i < peaks.size(); ++i) {
      const auto& [image, pattern] = inputs.pairs[i];
      const auto expected = correlation_reference(image, pattern);
      const std::string map = difference(correlation->map(image, pattern), expected, kTolerance);
      if (!map.empty()) return "map " + std::to_string(i) + ": " + map;
      const std::string peak = check_peak(peaks[i], expected);
      if (!peak.empty()) return "peak " + std::to_string(i) + ": " + peak;
    }
    return "";
  };
  return run_of([=, &inputs] { return correlation->best_matches(inputs.pairs); }, check);
}

// True for variants that would take seconds: the published forms are far behind, as is kVector on a
// GPU.
bool is_too_slow(CorrelationKernel kernel, double operations, bool is_cpu) {
  const bool slow = kernel == CorrelationKernel::kPerPosition ||
                    kernel == CorrelationKernel::kTiled ||
                    (kernel == CorrelationKernel::kVector && !is_cpu);
  const double most = slow ? (is_cpu ? 2e8 : 2e11) : (is_cpu ? 1.2e12 : 2e13);
  return operations > most;
}

// Returns the forms to run. A simulator takes a fixed list: trying which forms work takes it
// minutes.
std::vector<CorrelationKernel> kernels_for(OpenClSession& session, CaseScale scale,
                                           const CorrelationSizes& sizes, double operations) {
  if (scale == CaseScale::kSimulator) {
    return {CorrelationKernel::kPerPosition, CorrelationKernel::kTiled, CorrelationKernel::kVector};
  }
  std::vector<CorrelationKernel> kernels = correlation_kernels(session);
  if (sizes.patterns == 0) return kernels;
  kernels = best_guess_first(std::move(kernels), sizes, session.is_cpu());
  std::erase_if(kernels, [&](CorrelationKernel kernel) {
    return is_too_slow(kernel, operations, session.is_cpu());
  });
  return kernels;
}

}  // namespace

std::vector<double> correlation_reference(const ImageView& image, const ImageView& pattern) {
  std::vector<double> map;
  for (int top = 0; top + pattern.height <= image.height; ++top) {
    for (int left = 0; left + pattern.width <= image.width; ++left) {
      PairSums<std::uint64_t> sums;
      for (int y = 0; y < pattern.height; ++y) {
        for (int x = 0; x < pattern.width; ++x) {
          sums.add(image.at(left + x, top + y), pattern.at(x, y));
        }
      }
      map.push_back(correlation_of(sums).value_or(std::numeric_limits<double>::quiet_NaN()));
    }
  }
  return map;
}

std::vector<KernelCase> correlation_cases(OpenClSession& session, CaseScale scale) {
  std::vector<KernelCase> cases;
  for (const Problem& problem : problems().at(scale)) {
    CorrelationSizes sizes = problem.pairs.empty() ? CorrelationSizes{} : problem.pairs[0];
    sizes.patterns = problem.pairs.size();
    KernelCase described{
        .kernel = "correlation", .sizes = sizes.tuning_sizes(), .unit = WorkUnit::kOperations};
    // Operations of the direct sums of products, whatever a variant does instead.
    for (const CorrelationSizes& pair : problem.pairs) described.amount += 2 * pair.products();
    const std::vector<CorrelationKernel> kernels =
        kernels_for(session, scale, sizes, described.amount);
    cases.push_back(with_variants(
        std::move(described), session, kernels, [=] { return inputs_of(problem); }, prepare));
  }
  return cases;
}

}  // namespace lookalike
