#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error.h"
#include "kernels/benchmark/benchmark.h"
#include "pipeline/open_session.h"
#include "tools/command_line/command_line.h"
#include "tools/peers/commands.h"
#include "tools/peers/peers.h"

namespace lookalike {
namespace {

// Of one contender in one round.
constexpr TimingLimits kLimits = {.budget_ms = 100, .min_runs = 1};

struct Arguments {
  explicit Arguments(CLI::App& command) : config(command) {
    config.add("--device", "device.choice");
    command.add_option("--kernel", kernel, "Only this kernel: assign, correlation, ...");
    command.add_option("--rounds", rounds, "Rounds in which all take turns")
        ->check(CLI::PositiveNumber);
    command.add_flag("--quick", quick, "Tiny sizes: shows that it works");
  }
  ConfigArguments config;
  std::string kernel;
  int rounds = 3;
  bool quick = false;
};

// The least wall time of several runs, after one to warm up.
double least_ms(const std::function<void()>& run) {
  using Clock = std::chrono::steady_clock;
  run();
  double least = std::numeric_limits<double>::infinity();
  double spent = 0;
  while (spent < kLimits.budget_ms) {
    const auto start = Clock::now();
    run();
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    least = std::min(least, ms);
    spent += ms;
  }
  return least;
}

struct Contender {
  std::string name;
  std::function<void()> run;
  double wall_ms = std::numeric_limits<double>::infinity();
};

void race(OpenClSession& session, const KernelCase& problem, const std::vector<Peer>& peers,
          int rounds) {
  const std::string variant = chosen_variant(session, problem);
  const auto run = problem.prepare(variant).solve;
  std::vector<Contender> others;
  for (const Peer& peer : peers) others.push_back({peer.name, peer.prepare()});
  Timing ours = time_runs(session, run, kLimits);
  for (int round = 0; round < rounds; ++round) {
    for (Contender& other : others) other.wall_ms = std::min(other.wall_ms, least_ms(other.run));
    ours = least_of(std::move(ours), time_runs(session, run, kLimits));
  }
  fmt::print("\n{} {}\n", problem.kernel, to_string(problem.all_sizes()));
  fmt::print("  {:<34} {:>10.3f} {:>10.3f}\n", "ours, " + variant, ours.kernel_ms, ours.wall_ms);
  for (const Contender& other : others) {
    fmt::print("  {:<34} {:>10} {:>10.3f} {:>10.2f} {:>10.2f}\n", other.name, "", other.wall_ms,
               other.wall_ms / ours.kernel_ms, other.wall_ms / ours.wall_ms);
  }
  std::fflush(stdout);
}

int race_kernels(const Arguments& arguments) {
  SessionOptions options = session_options(arguments.config.load().device);
  options.profile = true;
  OpenClSession session(options);
  fmt::print("{}, driver {}\n  {:<34} {:>10} {:>10} {:>10} {:>10}\n", session.device().name,
             session.device().driver, "", "kernel ms", "wall ms", "x kernel", "x wall");
  const auto scale = arguments.quick ? CaseScale::kQuick : CaseScale::kFull;
  bool found = false;
  for (const KernelCase& problem : all_cases(session, scale)) {
    if (!arguments.kernel.empty() && problem.kernel != arguments.kernel) continue;
    std::vector<Peer> peers = opencv_peers(problem);
    for (Peer& peer : faiss_peers(problem)) peers.push_back(std::move(peer));
    if (peers.empty()) continue;
    race(session, problem, peers, arguments.rounds);
    found = true;
  }
  if (!found) {
    throw Error(ErrorKind::kUsage,
                fmt::format("kernels: '{}' has no peer in this build", arguments.kernel));
  }
  return kExitDone;
}

}  // namespace

void add_kernel_peers(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "kernels", "The kernels of lookalike bench, each in the variant in use, beside its peers");
  command->footer(
      "Output: least time of our kernels, and on the wall with all transfers; of each peer the "
      "wall\n"
      "time, and how many times ours that is.\n"
      "Example: lookalike-peers kernels --kernel correlation");
  const auto arguments = std::make_shared<Arguments>(*command);
  command->callback([=, &action] { action = [=] { return race_kernels(*arguments); }; });
}

}  // namespace lookalike
