// Transpose, variance, convolution and integral images beside OpenCV on one machine, in one run:
// the table of `lookalike bench`, then how often each variant runs in the time of each peer.
//   image_kernels_vs_opencv [device [kernel]]
// The device is platform:type:name-or-index, empty for the default. A variant that would take more
// than 0.3 s a run is left out.

#include <cstdio>
#include <exception>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "kernels/workload/benchmark.h"
#include "tools/benchmark/opencv_peers.h"

namespace lookalike {
namespace {

std::vector<Workload> image_workloads(OpenClSession& session) {
  std::vector<Workload> all;
  for (const auto make :
       {transpose_workloads, variance_workloads, convolution_workloads, integral_image_workloads}) {
    std::vector<Workload> some = make(session, WorkloadScale::kFull);
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

bool same_problem(const BenchmarkRow& a, const BenchmarkRow& b) {
  return a.kernel == b.kernel && a.sizes == b.sizes;
}

void print_ratios(const BenchmarkReport& report) {
  for (const BenchmarkRow& peer : report.rows) {
    if (!peer.peer) continue;
    std::printf("%s %s, times %s:", peer.kernel.c_str(), to_string(peer.sizes).c_str(),
                peer.variant.c_str());
    for (const BenchmarkRow& row : report.rows) {
      if (row.peer || !row.note.empty() || !same_problem(row, peer)) continue;
      std::printf("  %s %.2f", row.variant.c_str(), peer.timing.kernel_ms / row.timing.kernel_ms);
    }
    std::printf("\n");
  }
}

void run(const std::string& device, const std::string& kernel) {
  OpenClSession session({.device = device, .profile = true});
  const auto say = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  const BenchmarkReport report = run_benchmarks(
      session, image_workloads(session),
      {.kernel = kernel, .longest_run_ms = 300, .peers = opencv_peers, .progress = say});
  std::printf("%s\n", format_table(report).c_str());
  print_ratios(report);
}

}  // namespace
}  // namespace lookalike

int main(int argc, char** argv) {
  try {
    lookalike::run(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "image_kernels_vs_opencv: %s\n", error.what());
    return 1;
  }
}
