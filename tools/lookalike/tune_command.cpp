#include <chrono>
#include <optional>
#include <system_error>

#include "kernels/benchmark/benchmark.h"
#include "kernels/tuning/tuning.h"
#include "pipeline/device/open_session.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

// Latest start of a measurement, so that tuning takes less than a minute.
constexpr std::chrono::seconds kTimeToStart{50};

struct TuneArguments : OutputtingArguments {
  explicit TuneArguments(CLI::App& command) : OutputtingArguments(command) {
    config.add("device.choice");
    add_value(command, "--folder DIR", folder, "Folder of the measurements")
        ->default_str("lookalike/tuning in the user's cache");
    command.add_flag("--quick", quick,
                     "Small sizes: a check that takes seconds and chooses for no later run");
  }
  // False for small sizes, whose choices would slow down later runs, unless the user named a
  // folder.
  bool stores() const { return !quick || !folder.empty(); }
  std::string folder;
  bool quick = false;
};

void print_choices(const std::vector<KernelCase>& cases, const Tuning& tuning) {
  for (const KernelCase& problem : cases) {
    const auto fastest = tuning.fastest(problem.kernel, problem.sizes, problem.variants);
    if (problem.variants.size() < 2 || !fastest) continue;
    fmt::print("{} {}: {}\n", problem.kernel, to_string(problem.all_sizes()), *fastest);
  }
}

// Opens the device's file in the folder, which is created if missing.
OutputFile open_output(const TuneArguments& arguments, const std::filesystem::path& folder,
                       const TuningTarget& target, const RunConfig& config) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    throw Error(ErrorKind::kStorage,
                fmt::format("{}: cannot be created: {}", folder.string(), failed.message()));
  }
  return arguments.outputs.guard(arguments.config, config)
      .open("--folder", tuning_path(folder, target),
            kind_that_begins("a tuning file of lookalike", "lookalike tuning "));
}

int tune_device(const TuneArguments& arguments, const RunConfig& config,
                Progress::Style /*style*/) {
  SessionOptions options = query_session_options(config.device);
  options.profile = true;
  const std::filesystem::path folder =
      arguments.folder.empty() ? options.tuning_folder : std::filesystem::path(arguments.folder);
  if (arguments.stores() && folder.empty()) {
    throw Error(ErrorKind::kUsage, "tune: no cache folder; give --folder");
  }
  OpenClSession session(options);
  spdlog::info("tune: {}", session.device().name);
  std::optional<OutputFile> output;
  if (arguments.stores()) output = open_output(arguments, folder, session.tuning_target(), config);
  const auto start = std::chrono::steady_clock::now();
  const auto cases = all_cases(session, arguments.quick ? CaseScale::kQuick : CaseScale::kTuning);
  const TuneOutcome outcome = tune(cases, measure_on(session), {.out_of_time = [start] {
                                     return std::chrono::steady_clock::now() - start > kTimeToStart;
                                   }});
  for (const std::string& line : outcome.left_out) spdlog::debug("tune: left out: {}", line);
  const TuningFile file{session.tuning_target(), outcome.measurements};
  if (output) write_whole(*output, format_tuning_file(file));
  print_choices(cases, Tuning({file}));
  spdlog::info("tune: {} measurements {}", file.measurements.size(),
               output ? "in " + tuning_path(folder, file.target).string() +
                            "; the commands on this device use the variants above from now on"
                      : "of small sizes, which are not stored and change nothing");
  return kExitDone;
}

}  // namespace

void add_tune_command(CLI::App& app, Action& action) {
  add_command(
      app, action, "tune",
      "Measure which variant of each kernel is fastest on a device, in under a minute",
      "Output: the fastest variant for each kernel and size. The measurements are stored for this "
      "device and driver, and later runs use the fastest variants; results stay the same. Those of "
      "--quick are stored only in a folder that --folder names.\n"
      "Example: lookalike tune",
      tune_device);
}

}  // namespace lookalike
