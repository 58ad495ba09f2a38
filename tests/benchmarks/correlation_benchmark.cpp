// Every form of the correlation on one device, with nothing but OpenCL, on noise. An image is on
// the device; the patterns go there in the time on the wall.
//   correlation_benchmark [--json] [device [rounds [kernel]]]
// Columns: device time of all launches, from profiling; wall time with the maps left on the device,
// with the peaks read, and with the map read (one pattern); products per second of device time.
// --json: one object a line instead, for tools/race-pytorch.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kernels/correlation/correlation.h"
#include "tests/kernels/correlation/pictures.h"

namespace lookalike {
namespace {

struct Case {
  int width;
  int height;
  int side;
  int patterns;
  bool masked;
};

constexpr Case kCases[] = {
    {512, 512, 16, 1, false},    {1920, 1080, 16, 1, false},  {1920, 1080, 32, 1, false},
    {1920, 1080, 64, 1, false},  {1920, 1080, 128, 1, false}, {1920, 1080, 300, 1, false},
    {1920, 1080, 512, 1, false}, {1920, 1080, 64, 64, false}, {1920, 1080, 64, 16, true},
};

double wall_ms(OpenClSession& session, int rounds, const std::function<void()>& work) {
  double best = 1e9;
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    work();
    session.finish();
    const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
    best = std::min(best, wall.count());
  }
  return best;
}

// Device time by label, the least of the rounds in total.
std::map<std::string, LaunchTime> device_times(OpenClSession& session, int rounds,
                                               const std::function<void()>& work, double& total) {
  std::map<std::string, LaunchTime> best;
  total = 1e9;
  session.drain_profile();
  for (int round = 0; round < rounds; ++round) {
    work();
    auto times = session.drain_profile();
    double sum = 0;
    for (const auto& [label, time] : times) sum += time.total_ms;
    if (sum >= total) continue;
    total = sum;
    best = std::move(times);
  }
  return best;
}

struct Runs {
  OpenClSession profiled;
  OpenClSession plain;
};

// Least times in ms.
struct Times {
  double device = 0;
  double maps = 0;
  double peaks = 0;
  double read = 0;
  std::map<std::string, LaunchTime> labels{};
};

void print_row(CorrelationKernel kernel, const Case& one, const Times& times) {
  const double products = 1e-9 * one.patterns * one.side * one.side * (one.width - one.side + 1) *
                          (one.height - one.side + 1);
  std::printf("%-12s %4dx%-4d %3d^2 x %2d%s %9.3f %9.3f %9.3f %9.3f %9.2f ",
              std::string(to_string(kernel)).c_str(), one.width, one.height, one.side, one.patterns,
              one.masked ? "m" : " ", times.device, times.maps, times.peaks, times.read,
              products / times.device);
  for (const auto& [label, time] : times.labels) {
    std::printf(" %s %.3f", label.substr(12).c_str(), time.total_ms);
  }
  std::printf("\n");
  std::fflush(stdout);
}

void print_json(CorrelationKernel kernel, const Case& one, const Times& times) {
  std::printf(
      "{\"form\": \"%s\", \"width\": %d, \"height\": %d, \"side\": %d, \"patterns\": %d, "
      "\"masked\": %s, \"device_ms\": %.4f, \"maps_ms\": %.4f, \"peaks_ms\": %.4f, "
      "\"read_ms\": %.4f}\n",
      std::string(to_string(kernel)).c_str(), one.width, one.height, one.side, one.patterns,
      one.masked ? "true" : "false", times.device, times.maps, times.peaks, times.read);
}

Times time_case(Runs& runs, CorrelationKernel kernel, const Case& one, int rounds) {
  const GrayImage picture = noise(one.width, one.height, 1);
  std::vector<GrayImage> pictures;
  std::vector<CorrelationPattern> patterns;
  const GrayImage mask = noise(one.side, one.side, 99, 0, 3);
  for (int i = 0; i < one.patterns; ++i) {
    pictures.push_back(noise(one.side, one.side, static_cast<std::uint64_t>(i + 2)));
  }
  for (const GrayImage& pattern : pictures) {
    patterns.push_back({pattern.view(), one.masked ? mask.view() : ImageView{}});
  }
  Correlation profiled(runs.profiled, {.kernel = kernel});
  CorrelationImage profiled_image(runs.profiled, picture.view());
  Times times;
  times.labels = device_times(
      runs.profiled, rounds, [&] { profiled.best_matches(profiled_image, patterns); },
      times.device);
  Correlation plain(runs.plain, {.kernel = kernel});
  CorrelationImage image(runs.plain, picture.view());
  times.maps = wall_ms(runs.plain, rounds, [&] { plain.maps(image, patterns); });
  times.peaks = wall_ms(runs.plain, rounds, [&] { plain.best_matches(image, patterns); });
  times.read = wall_ms(runs.plain, rounds, [&] { plain.map(image, patterns.front()); });
  return times;
}

// The published forms, and the one for CPUs on a GPU, take minutes where the others take a blink.
bool is_too_slow(CorrelationKernel kernel, const Case& one, bool is_cpu) {
  const double products = 1.0 * one.patterns * one.side * one.side * one.width * one.height;
  const bool slow = kernel == CorrelationKernel::kPerPosition ||
                    kernel == CorrelationKernel::kTiled ||
                    (kernel == CorrelationKernel::kVector && !is_cpu);
  return products > (slow ? (is_cpu ? 1e8 : 1e10) : (is_cpu ? 6e11 : 1e13));
}

struct Wishes {
  std::string device{};
  int rounds = 5;
  std::string kernel{};  // empty: all
  bool json = false;
};

void run(const Wishes& wishes) {
  Runs runs{OpenClSession({.device = wishes.device, .profile = true}),
            OpenClSession({.device = wishes.device})};
  if (!wishes.json) {
    std::printf("%s\n%-12s %-17s %9s %9s %9s %9s %9s\n", runs.plain.device().name.c_str(), "form",
                "case", "device ms", "maps ms", "peaks ms", "read ms", "T/s");
  }
  for (const Case& one : kCases) {
    for (const CorrelationKernel kernel : correlation_kernels(runs.plain)) {
      if (!wishes.kernel.empty() && to_string(kernel) != wishes.kernel) continue;
      if (is_too_slow(kernel, one, runs.plain.is_cpu())) continue;
      (wishes.json ? print_json : print_row)(kernel, one,
                                             time_case(runs, kernel, one, wishes.rounds));
    }
  }
}

Wishes wishes_of(std::vector<std::string> arguments) {
  Wishes wishes;
  if (!arguments.empty() && arguments.front() == "--json") {
    wishes.json = true;
    arguments.erase(arguments.begin());
  }
  arguments.resize(3);
  wishes.device = arguments[0];
  if (!arguments[1].empty()) wishes.rounds = std::stoi(arguments[1]);
  wishes.kernel = arguments[2];
  return wishes;
}

}  // namespace
}  // namespace lookalike

int main(int argc, char** argv) {
  try {
    lookalike::run(lookalike::wishes_of({argv + 1, argv + argc}));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "correlation_benchmark: %s\n", error.what());
    return 1;
  }
  return 0;
}
