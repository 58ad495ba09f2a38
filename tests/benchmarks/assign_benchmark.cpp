// Assign and variance on one device, with nothing but OpenCL: the time of the kernels, from
// profiling, and the time on the wall, transfers included.
//   assign_benchmark [device] [n] [k] [d] [rounds]
// The device is platform:type:name-or-index, empty for the default. Operations are counted as
// 2 n k d; a copy's bytes are those read and those written.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "kernels/assign/assign.h"
#include "kernels/assign/synthetic_descriptors.h"
#include "kernels/variance/variance.h"

namespace lookalike {
namespace {

struct Timing {
  std::string name;
  double wall_ms = 0;
  double kernels_ms = 0;
  std::string launches;  // each label's share
};

// The run with the least time on the wall, after one to warm up.
Timing best_of(OpenClSession& session, std::size_t rounds, const std::string& name,
               const std::function<void()>& run) {
  run();
  session.drain_profile();
  Timing best{name, 0, 0, {}};
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
    Timing timing{name, wall.count(), 0, {}};
    for (const auto& [label, time] : session.drain_profile()) {
      timing.kernels_ms += time.total_ms;
      timing.launches += ' ' + label + ' ' + std::to_string(time.total_ms);
    }
    if (round == 0 || timing.wall_ms < best.wall_ms) best = timing;
  }
  return best;
}

// `work` in units of 1e6 a millisecond is 1e9 a second.
void print(const Timing& timing, double work) {
  std::printf("%-20s %10.2f %12.1f %10.2f %12.1f %s\n", timing.name.c_str(), timing.kernels_ms,
              work / timing.kernels_ms * 1e-6, timing.wall_ms, work / timing.wall_ms * 1e-6,
              timing.launches.c_str());
}

void print_header(const char* unit) {
  std::printf("\n%-20s %10s %12s %10s %12s %s\n", "", "kernels ms", unit, "wall ms", unit,
              "launches, ms");
}

struct Sizes {
  std::size_t n;
  std::size_t k;
  std::size_t d;
  std::size_t rounds;
};

void benchmark_nearest(OpenClSession& session, const Sizes& sizes, AssignKernel kernel,
                       std::size_t m) {
  const std::vector<float> words = synthetic_descriptors(sizes.k, sizes.d, 1);
  const std::vector<float> descriptors = synthetic_descriptors(sizes.n, sizes.d, 2);
  WordAssigner assigner(session, {words, sizes.d}, kernel);
  const std::string name =
      std::string(to_string(assigner.kernel())) + (m == 1 ? "" : ", m = " + std::to_string(m));
  const auto run = [&] { assigner.nearest({descriptors, sizes.d}, m); };
  print(best_of(session, sizes.rounds, name, run),
        2.0 * static_cast<double>(sizes.n * sizes.k * sizes.d));
}

// Descriptors times words that the slow kernels are given at most on a CPU.
constexpr std::size_t kSlowPairs = std::size_t{1} << 24U;

void benchmark_assign(OpenClSession& session, const Sizes& sizes) {
  std::printf("\nassign: n = %zu, k = %zu, d = %zu, best of %zu", sizes.n, sizes.k, sizes.d,
              sizes.rounds);
  print_header("GFLOP/s");
  for (const AssignKernel kernel : assign_kernels(session)) {
    const bool is_scored = kernel == AssignKernel::kFused || kernel == AssignKernel::kMatrix ||
                           kernel == AssignKernel::kCpu;
    // A CPU takes a second for a billion operations of the published steps.
    if (session.is_cpu() && !is_scored && sizes.n * sizes.k > kSlowPairs) continue;
    benchmark_nearest(session, sizes, kernel, 1);
  }
  for (const std::size_t m : {3U, 8U}) benchmark_nearest(session, sizes, AssignKernel::kAuto, m);
}

double copy_ms(OpenClSession& session, const cl::Buffer& from, const cl::Buffer& to,
               std::size_t bytes) {
  cl::Event event;
  session.queue().enqueueCopyBuffer(from, to, 0, 0, bytes, nullptr, &event);
  event.wait();
  return static_cast<double>(event.getProfilingInfo<CL_PROFILING_COMMAND_END>() -
                             event.getProfilingInfo<CL_PROFILING_COMMAND_START>()) *
         1e-6;
}

void benchmark_variance(OpenClSession& session, std::size_t images, std::size_t rounds) {
  constexpr int kSide = 1024;
  const GrayImage image(kSide, kSide);
  const std::vector<ImageView> batch(images, image.view());
  const std::size_t bytes = images * image.pixels.size();
  std::printf("\nvariance: %zu images of %d x %d, best of %zu", images, kSide, kSide, rounds);
  print_header("GB/s");
  for (const Reduction reduction : {Reduction::kAtomic, Reduction::kTwoStage}) {
    if (reduction == Reduction::kAtomic && !session.has_int64_atomics()) continue;
    ImageVariance variance(session, reduction);
    print(best_of(session, rounds, std::string(to_string(reduction)),
                  [&] { variance.compute(batch); }),
          static_cast<double>(bytes));
  }
  const cl::Buffer from = session.allocate(bytes);
  const cl::Buffer to = session.allocate(bytes);
  double best = copy_ms(session, from, to, bytes);
  for (std::size_t round = 0; round < rounds; ++round) {
    best = std::min(best, copy_ms(session, from, to, bytes));
  }
  std::printf("%-20s %10.2f %12.1f\n", "device copy", best,
              2 * static_cast<double>(bytes) / best * 1e-6);
}

std::size_t number(int argc, char** argv, int index, std::size_t otherwise) {
  return index < argc ? std::strtoull(argv[index], nullptr, 10) : otherwise;
}

void run(int argc, char** argv) {
  OpenClSession session({.device = argc > 1 ? argv[1] : "", .profile = true});
  std::printf("%s, driver %s\n", session.device().name.c_str(), session.device().driver.c_str());
  const std::size_t rounds = number(argc, argv, 5, 5);
  benchmark_variance(session, session.is_cpu() ? 32 : 256, rounds);
  const std::size_t n = session.is_cpu() ? 100'000 : std::size_t{1} << 20U;
  benchmark_assign(session, {number(argc, argv, 2, n), number(argc, argv, 3, 4096),
                             number(argc, argv, 4, 64), rounds});
  if (argc <= 2) {
    benchmark_assign(session, {1U << 14U, 1024, 64, rounds});
    benchmark_assign(session, {1U << 14U, 1024, 128, rounds});
  }
}

}  // namespace
}  // namespace lookalike

int main(int argc, char** argv) {
  try {
    lookalike::run(argc, argv);
  } catch (const lookalike::Error& error) {
    std::fprintf(stderr, "assign_benchmark: %s\n", error.what());
    return lookalike::exit_code(error.kind());
  }
}
