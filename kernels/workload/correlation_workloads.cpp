#include <memory>

#include "kernels/correlation/correlation.h"
#include "kernels/correlation/correlation_batches.h"
#include "kernels/workload/inputs.h"
#include "kernels/workload/workload.h"

namespace lookalike {
namespace {

struct Size {
  int width;
  int height;
  int side;  // of the pattern
  std::size_t patterns;
  bool masked = false;
};

std::vector<Size> sizes_for(WorkloadScale scale) {
  switch (scale) {
    case WorkloadScale::kQuick:
      return {{160, 120, 16, 1}, {160, 120, 16, 2, true}};
    case WorkloadScale::kTuning:
      return {{48, 48, 24, 64},    {640, 480, 16, 1},    {640, 480, 64, 1}, {1920, 1080, 16, 1},
              {1920, 1080, 64, 1}, {1920, 1080, 256, 1}, {640, 480, 64, 16}};
    case WorkloadScale::kFull:
      break;
  }
  return {{48, 48, 24, 64},     {512, 512, 16, 1},    {1024, 1024, 64, 1},
          {1920, 1080, 16, 1},  {1920, 1080, 64, 1},  {1920, 1080, 128, 1},
          {1920, 1080, 256, 1}, {1920, 1080, 64, 64}, {1920, 1080, 64, 16, true}};
}

struct Inputs {
  GrayImage image;
  std::vector<GrayImage> patterns;
  GrayImage mask;  // for all patterns; empty: none
};

Inputs inputs_of(const Size& size) {
  Inputs inputs{noise_picture(size.width, size.height, 1), {}, {}};
  for (std::size_t i = 0; i < size.patterns; ++i) {
    inputs.patterns.push_back(noise_picture(size.side, size.side, 2 + i));
  }
  if (size.masked) {
    inputs.mask = noise_picture(size.side, size.side, 99);
    for (std::uint8_t& pixel : inputs.mask.pixels) pixel &= 3U;
  }
  return inputs;
}

// Masks are for images on the device alone.
std::function<void()> masked_run(OpenClSession& session, const Inputs& inputs,
                                 const std::shared_ptr<Correlation>& correlation) {
  std::vector<CorrelationPattern> patterns;
  for (const GrayImage& pattern : inputs.patterns) {
    patterns.push_back({pattern.view(), inputs.mask.view()});
  }
  return [=, &session, view = inputs.image.view()] {
    CorrelationImage image(session, view);
    correlation->best_matches(image, patterns);
  };
}

// The published forms are far behind, as is the one for CPUs on a GPU; where they would take
// seconds they are left out.
bool is_too_slow(CorrelationKernel kernel, double operations, bool is_cpu) {
  const bool slow = kernel == CorrelationKernel::kPerPosition ||
                    kernel == CorrelationKernel::kTiled ||
                    (kernel == CorrelationKernel::kVector && !is_cpu);
  const double most = slow ? (is_cpu ? 2e8 : 2e11) : (is_cpu ? 1.2e12 : 2e13);
  return operations > most;
}

// Operations are those of the direct sums of products, whatever a variant does in their place.
Workload workload_of(OpenClSession& session, const Size& size) {
  const auto u = [](int value) { return static_cast<std::uint64_t>(value); };
  const std::uint64_t positions =
      u(size.width - size.side + 1) * u(size.height - size.side + 1) * size.patterns;
  Workload workload{.kernel = "correlation",
                    .sizes = {{"width", u(size.width)},
                              {"height", u(size.height)},
                              {"pattern_width", u(size.side)},
                              {"pattern_height", u(size.side)},
                              {"patterns", size.patterns}},
                    .unit = WorkUnit::kOperations,
                    .amount = 2.0 * static_cast<double>(positions * u(size.side) * u(size.side))};
  if (size.masked) workload.more_sizes = {{"masked", 1}};
  const PlacedImage image{0, 0, size.width, size.height, size.width};
  const std::vector<CorrelationItem> items(size.patterns,
                                           {image, {nullptr, size.side, size.side}, {}});
  for (const CorrelationKernel kernel :
       best_guess_first(correlation_kernels(session), items, session.is_cpu())) {
    if (is_too_slow(kernel, workload.amount, session.is_cpu())) continue;
    workload.variants.emplace_back(to_string(kernel));
  }
  const Lazy<Inputs> inputs([=] { return inputs_of(size); });
  workload.prepare = [&session, size, inputs](const std::string& variant) -> std::function<void()> {
    const CorrelationOptions options{.kernel = parse_correlation_kernel(variant)};
    const auto correlation = std::make_shared<Correlation>(session, options);
    if (size.masked) {
      return [keep = inputs, run = masked_run(session, inputs.get(), correlation)] { run(); };
    }
    std::vector<CorrelationPair> pairs;
    for (const GrayImage& pattern : inputs.get().patterns) {
      pairs.push_back({inputs.get().image.view(), pattern.view()});
    }
    return [=, keep = inputs] { correlation->best_matches(pairs); };
  };
  return workload;
}

}  // namespace

std::vector<Workload> correlation_workloads(OpenClSession& session, WorkloadScale scale) {
  std::vector<Workload> workloads;
  for (const Size& size : sizes_for(scale)) workloads.push_back(workload_of(session, size));
  return workloads;
}

}  // namespace lookalike
