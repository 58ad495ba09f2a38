#include <chrono>

#include "base/progress.h"
#include "kernels/cases.h"
#include "kernels/session/device.h"
#include "pipeline/device/device_test.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

struct DeviceReport {
  std::size_t index = 0;
  DeviceInfo info;
  bool used = false;
  bool tested = false;
  bool int64_atomics = false;
  std::vector<SelfTestResult> self_tests{};
  std::optional<std::string> objection{};

  std::size_t passed() const {
    return static_cast<std::size_t>(
        std::count_if(self_tests.begin(), self_tests.end(),
                      [](const SelfTestResult& result) { return result.passed; }));
  }
};

DeviceReport tested(DeviceReport report) {
  const Progress progress(fmt::format("self-test of device {}", report.index), "", 0,
                          Progress::style_for_stderr(), std::chrono::seconds(1));
  DeviceTest test = test_device(report.index, SelfTests::kAll);
  report.tested = true;
  report.int64_atomics = test.adds_64_bits.value_or(false);
  report.self_tests = std::move(test.results);
  forget_objection_to(report.info);
  report.objection = objection_to(report.index, report.info);
  return report;
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr double kKibi = 1024;
  const auto value = static_cast<double>(bytes);
  if (value >= kKibi * kKibi * kKibi)
    return fmt::format("{:.1f} GiB", value / kKibi / kKibi / kKibi);
  if (value >= kKibi * kKibi) return fmt::format("{:.1f} MiB", value / kKibi / kKibi);
  return fmt::format("{:.0f} KiB", value / kKibi);
}

void print_fact(const char* name, const std::string& text) {
  constexpr std::size_t kFactColumn = 21;
  fmt::print("     {:<16}{}\n", name, wrapped(text, text_columns(), kFactColumn, kFactColumn));
}

void print_devices(const DeviceReport& report) {
  const DeviceInfo& info = report.info;
  const std::string name =
      fmt::format("{} {}: {} {}{}", report.used ? '*' : ' ', report.index, to_string(info.kind),
                  info.name, report.used ? " <- would be used" : "");
  fmt::print("{}\n", wrapped(name, text_columns(), 0, 5));
  print_fact("platform", fmt::format("{}, {}", info.platform, info.platform_version));
  print_fact("driver", fmt::format("{}, {}", info.driver, info.version));
  print_fact("compute units", fmt::format("{}, work-groups of up to {}", info.compute_units,
                                          info.max_work_group_size));
  print_fact(
      "memory",
      fmt::format("{}, at most {} at once, local {}, constant {}",
                  bytes_text(info.global_memory_bytes), bytes_text(info.max_allocation_bytes),
                  bytes_text(info.local_memory_bytes), bytes_text(info.constant_buffer_bytes)));
  if (report.objection) print_fact("not used", *report.objection);
  if (!report.tested) return;
  print_fact("64-bit atomics", report.int64_atomics        ? "yes, tested"
                               : info.claims_int64_atomics ? "claimed, but failed"
                                                           : "no");
  print_fact("self-tests",
             fmt::format("{} of {} passed", report.passed(), report.self_tests.size()));
  for (const SelfTestResult& result : report.self_tests) {
    constexpr std::size_t kOutcomeColumn = 45;
    constexpr std::size_t kNextColumn = 9;
    const std::string outcome = result.passed ? "passed" : "FAILED: " + result.detail;
    fmt::print("       {:<24} {:>8.1f} ms  {}\n", result.name, result.elapsed_ms,
               wrapped(outcome, text_columns(), kOutcomeColumn, kNextColumn));
  }
}

Json to_json(const DeviceReport& report) {
  const DeviceInfo& info = report.info;
  Json json = {{"index", report.index},
               {"used", report.used},
               {"type", to_string(info.kind)},
               {"name", info.name},
               {"vendor", info.vendor},
               {"platform", info.platform},
               {"platform_version", info.platform_version},
               {"version", info.version},
               {"driver", info.driver},
               {"compute_units", info.compute_units},
               {"max_work_group_size", info.max_work_group_size},
               {"global_memory_bytes", info.global_memory_bytes},
               {"max_allocation_bytes", info.max_allocation_bytes},
               {"local_memory_bytes", info.local_memory_bytes},
               {"constant_buffer_bytes", info.constant_buffer_bytes},
               {"claims_int64_atomics", info.claims_int64_atomics}};
  if (report.objection) json["objection"] = *report.objection;
  if (!report.tested) return json;
  json["int64_atomics"] = report.int64_atomics;
  auto& tests = json["self_tests"] = Json::array();
  for (const SelfTestResult& result : report.self_tests) {
    tests.push_back({{"name", result.name},
                     {"passed", result.passed},
                     {"detail", result.detail},
                     {"elapsed_ms", result.elapsed_ms}});
  }
  return json;
}

struct DevicesArguments {
  explicit DevicesArguments(CLI::App& command)
      : config(command),
        format(command, {.columns = {"index", "used", "type", "name", "platform", "driver",
                                     "compute_units", "global_memory_bytes", "int64_atomics",
                                     "self_tests", "self_tests_passed"}}) {
    config.add("device.choice");
    command.add_flag("--self-test", self_test,
                     "Test the kernels on each device; the first time takes minutes on a CPU");
  }
  ConfigArguments config;
  FormatArgument format;
  bool self_test = false;
};

// Marks the best matching device to which no objection is known.
void mark_used(std::vector<DeviceReport>& reports, const std::vector<std::size_t>& matching) {
  for (const std::size_t i : matching) {
    if (reports[i].objection) continue;
    reports[i].used = true;
    return;
  }
}

int list(const DevicesArguments& arguments) {
  const DeviceOptions options = arguments.config.load().device;
  const std::vector<Device> devices = list_devices();
  const std::vector<std::size_t> matching = matching_devices(devices, options.choice);
  std::vector<DeviceReport> reports;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    DeviceReport report{.index = i, .info = devices[i].info};
    report.objection = known_objection_to(report.info);
    reports.push_back(arguments.self_test ? tested(std::move(report)) : std::move(report));
  }
  mark_used(reports, matching);
  const Printer printer(arguments.format);
  Json answer = {{"devices", Json::array()}};
  Json rows = Json::array();
  bool passed = true;
  for (const DeviceReport& report : reports) {
    passed = passed && report.passed() == report.self_tests.size();
    Json& row = rows.emplace_back(answer["devices"].emplace_back(to_json(report)));
    row["self_tests"] = report.tested ? Json(report.self_tests.size()) : Json();
    row["self_tests_passed"] = report.tested ? Json(report.passed()) : Json();
  }
  printer.print(answer, rows, [&] {
    for (const DeviceReport& report : reports) print_devices(report);
  });
  return passed ? kExitDone : exit_code(ErrorKind::kDevice);
}

}  // namespace

void add_devices_command(CLI::App& app, Action& action) {
  add_command(
      app, action, "devices", "List OpenCL devices, the one in use and their limits",
      "Output: each device, marked * if it would be used, and its limits; with --self-test also "
      "whether 64-bit atomics work and the results of the kernels' self-tests. Exit code 4 when "
      "one of them fails.\n"
      "Example: lookalike devices",
      list);
}

}  // namespace lookalike
