#include "kernels/benchmark/benchmark.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/error.h"

namespace lookalike {
namespace {

constexpr TimingLimits kTuneLimits = {.budget_ms = 100, .min_runs = 3};
// A variant whose first run takes this many times as long as the best gets no second run.
constexpr double kAbandonRatio = 3;
// Largest distance of near sizes, by octaves_between: a factor of 32 in one size, of 11 in each of
// two.
constexpr double kNearOctaves = 5;

// How to report work of a unit: rates are in `scale` a second.
struct UnitTrait {
  const char* name;
  double scale;
  double Ceilings::*ceiling;  // nullptr: none
};

// In the order of WorkUnit.
constexpr std::array<UnitTrait, 4> kUnitTraits = {{{"GFLOP/s", 1e9, &Ceilings::multiply_add_gflops},
                                                   {"GB/s", 1e9, &Ceilings::copy_gbs},
                                                   {"GB/s", 1e9, &Ceilings::read_gbs},
                                                   {"Mpixel/s", 1e6, nullptr}}};

const UnitTrait& trait_of(WorkUnit unit) {
  return kUnitTraits[static_cast<std::size_t>(unit)];
}

Timing time_once(OpenClSession& session, const std::function<void()>& run) {
  session.drain_profile();
  session.drain_transfers();
  const auto start = std::chrono::steady_clock::now();
  run();
  session.finish();
  const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
  Timing timing{
      .transfer_ms = session.drain_transfers().total_ms, .wall_ms = wall.count(), .runs = 1};
  for (const auto& [label, time] : session.drain_profile()) {
    timing.kernel_ms += time.total_ms;
    timing.launch_ms[label] = time.total_ms;
  }
  return timing;
}

// The pace of variants at the sizes measured so far, to predict times.
class Pace {
 public:
  void record(const KernelCase& problem, const std::string& variant, double ms) {
    if (ms <= 0) return;
    records_.push_back({problem.kernel, variant, problem.all_sizes(), ms / problem.amount});
  }

  // Predicts from the variant's pace at the nearest size. Nothing where no size is near: the cost
  // of many tiny images says nothing about a large one.
  std::optional<double> predict_ms(const KernelCase& problem, const std::string& variant) const {
    double nearest = kNearOctaves;
    std::optional<double> ms;
    for (const Record& record : records_) {
      if (record.kernel != problem.kernel || record.variant != variant) continue;
      const double octaves = octaves_between(record.sizes, problem.all_sizes());
      if (octaves > nearest) continue;
      nearest = octaves;
      ms = record.ms_per_work * problem.amount;
    }
    return ms;
  }

 private:
  struct Record {
    std::string kernel;
    std::string variant;
    TuningSizes sizes;
    double ms_per_work;
  };
  std::vector<Record> records_;
};

std::string about(double ms) {
  return "about " + (ms < 10'000 ? std::to_string(std::lround(ms)) + " ms"
                                 : std::to_string(std::lround(ms / 1000)) + " s");
}

// Measures variants from small sizes to large and leaves out those that would take too long.
class Measurer {
 public:
  Measurer(MeasureVariant measure, double longest_run_ms)
      : measure_(std::move(measure)), longest_run_ms_(longest_run_ms) {}

  // True if the variant would take too long, which row.note then says.
  bool leaves_out(const KernelCase& problem, BenchmarkRow& row) {
    const auto expected_ms = pace_.predict_ms(problem, row.variant);
    if (!expected_ms || *expected_ms <= longest_run_ms_) return false;
    pace_.record(problem, row.variant, *expected_ms);
    row.note = "not run: " + about(*expected_ms);
    return true;
  }

  // Sets row.timing, or row.note where the variant fails.
  void measure(const KernelCase& problem, const TimingLimits& limits, BenchmarkRow& row) {
    try {
      row.timing = measure_(problem, row.variant, limits);
      pace_.record(problem, row.variant, row.timing.kernel_ms);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kDevice) throw;
      row.failed = true;
      row.note = std::string("failed: ") + error.what();
    }
  }

 private:
  MeasureVariant measure_;
  double longest_run_ms_;
  Pace pace_;
};

BenchmarkRow row_of(const KernelCase& problem, const std::string& variant) {
  return {.kernel = problem.kernel,
          .sizes = problem.all_sizes(),
          .variant = variant,
          .unit = problem.unit,
          .amount = problem.amount};
}

std::string name_of(const BenchmarkRow& row) {
  return row.kernel + ' ' + to_string(row.sizes) + ' ' + row.variant;
}

std::vector<const KernelCase*> cases_of(const std::vector<KernelCase>& cases,
                                        const std::string& kernel) {
  std::vector<const KernelCase*> found;
  std::string known;
  for (const KernelCase& problem : cases) {
    if (kernel.empty() || problem.kernel == kernel) found.push_back(&problem);
    if (!known.ends_with(problem.kernel)) known += (known.empty() ? "" : ", ") + problem.kernel;
  }
  if (!found.empty()) return found;
  throw Error(ErrorKind::kUsage,
              "bench: kernel must be one of " + known + ", was '" + kernel + "'");
}

// Returns three significant digits, at most four of them after the point.
std::string number_text(double value) {
  const int digits = value <= 0 ? 0 : 2 - static_cast<int>(std::floor(std::log10(value)));
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", std::clamp(digits, 0, 4), value);
  return text.data();
}

std::string left(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text + "  ";
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

std::string marked_name(const BenchmarkRow& row) {
  return row.variant + (row.chosen ? " *" : "");
}

std::string device_line(const BenchmarkReport& report, std::size_t columns) {
  const Ceilings& ceilings = report.ceilings;
  const std::string device = report.device.device + ", driver " + report.device.driver + ":";
  const std::string text = "multiply-add " + number_text(ceilings.multiply_add_gflops) +
                           " GFLOP/s, copy " + number_text(ceilings.copy_gbs) + " GB/s, read " +
                           number_text(ceilings.read_gbs) + " GB/s\n";
  return device + (device.size() + text.size() > columns ? "\n  " : " ") + text;
}

// The columns of a kernel's table.
struct Layout {
  std::size_t sizes = 0;
  std::size_t name = 0;
  bool sizes_apart = false;  // on lines of their own
  bool has_transfer = true;
  bool has_wall = true;

  std::size_t first_columns() const { return (sizes_apart ? 0 : sizes) + 2 + name; }
  std::size_t width() const {
    return first_columns() + 2 + 10 + (has_transfer ? 13 : 0) + (has_wall ? 10 : 0) + 10 + 12;
  }
};

Layout layout_of(const BenchmarkReport& report, const std::string& kernel, std::size_t columns) {
  Layout layout;
  for (const BenchmarkRow& row : report.rows) {
    if (row.kernel != kernel) continue;
    layout.sizes = std::max(layout.sizes, to_string(row.sizes).size());
    layout.name = std::max(layout.name, marked_name(row).size());
  }
  layout.sizes_apart = layout.width() > columns;
  layout.has_transfer = layout.width() <= columns;
  layout.has_wall = layout.width() <= columns;
  return layout;
}

std::string line_of(const BenchmarkRow& row, const Ceilings& ceilings, const Layout& layout) {
  if (!row.note.empty()) return "  " + row.note;
  const auto share = share_of_ceiling(row, ceilings);
  return right(number_text(row.timing.kernel_ms), 10) +
         (layout.has_transfer ? right(number_text(row.timing.transfer_ms), 13) : "") +
         (layout.has_wall ? right(number_text(row.timing.wall_ms), 10) : "") +
         right(number_text(row.rate()), 10) +
         right(share ? std::to_string(std::lround(100 * *share)) + " %" : "", 12);
}

std::string head_of(const BenchmarkRow& row, const Layout& layout) {
  return '\n' + left(row.kernel, layout.first_columns()) + right("kernel ms", 10) +
         (layout.has_transfer ? right("transfer ms", 13) : "") +
         (layout.has_wall ? right("wall ms", 10) : "") + right(unit_name(row.unit), 10) +
         right("of ceiling", 12) + '\n';
}

}  // namespace

Timing least_of(Timing a, Timing b) {
  return {.kernel_ms = std::min(a.kernel_ms, b.kernel_ms),
          .transfer_ms = std::min(a.transfer_ms, b.transfer_ms),
          .wall_ms = std::min(a.wall_ms, b.wall_ms),
          .runs = a.runs + b.runs,
          .launch_ms = std::move(a.kernel_ms <= b.kernel_ms ? a.launch_ms : b.launch_ms)};
}

Timing time_runs(OpenClSession& session, const std::function<void()>& run,
                 const TimingLimits& limits) {
  const Timing first = time_once(session, run);
  if (first.kernel_ms > limits.abandon_ms) return first;
  Timing best = time_once(session, run);
  double spent_ms = best.wall_ms;
  while (best.runs < limits.min_runs || spent_ms < limits.budget_ms) {
    Timing timing = time_once(session, run);
    spent_ms += timing.wall_ms;
    best = least_of(std::move(best), std::move(timing));
  }
  return best;
}

double BenchmarkRow::rate() const {
  return timing.kernel_ms > 0 ? amount / timing.kernel_ms * 1e3 / trait_of(unit).scale : 0;
}

std::string unit_name(WorkUnit unit) {
  return trait_of(unit).name;
}

std::optional<double> share_of_ceiling(const BenchmarkRow& row, const Ceilings& ceilings) {
  double Ceilings::*const ceiling = trait_of(row.unit).ceiling;
  if (!row.note.empty() || ceiling == nullptr) return std::nullopt;
  return row.rate() / (ceilings.*ceiling);
}

BenchmarkReport run_benchmarks(OpenClSession& session, const std::vector<KernelCase>& cases,
                               const BenchmarkOptions& options) {
  BenchmarkReport report;
  std::vector<const KernelCase*> problem_of_row;
  for (const KernelCase* const problem : cases_of(cases, options.kernel)) {
    const std::string chosen = chosen_variant(session, *problem);
    for (const std::string& variant : problem->variants) {
      report.rows.push_back(row_of(*problem, variant));
      report.rows.back().chosen = variant == chosen;
      problem_of_row.push_back(problem);
    }
  }
  report.device = session.tuning_target();
  report.ceilings = measure_ceilings(session, options.ceiling_bytes);
  Measurer measurer(measure_on(session, options.check), options.longest_run_ms);
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    BenchmarkRow& row = report.rows[i];
    if (!measurer.leaves_out(*problem_of_row[i], row)) {
      if (options.progress) options.progress(name_of(row));
      measurer.measure(*problem_of_row[i], options.limits, row);
    }
    if (options.measured) options.measured(report, i);
  }
  return report;
}

MeasureVariant measure_on(OpenClSession& session, bool check) {
  return [&session, check](const KernelCase& problem, const std::string& variant,
                           const TimingLimits& limits) {
    const CaseRun run = problem.prepare(variant);
    Timing timing = time_runs(session, run.solve, limits);
    const std::string wrong = check ? run.check() : "";
    if (!wrong.empty()) throw Error(ErrorKind::kDevice, "wrong result: " + wrong);
    return timing;
  };
}

TuneOutcome tune(const std::vector<KernelCase>& cases, const MeasureVariant& measure,
                 const TuneLimits& limits) {
  TuneOutcome outcome;
  Measurer measurer(measure, limits.longest_run_ms);
  for (const KernelCase& problem : cases) {
    if (problem.variants.size() < 2) continue;
    TimingLimits timing_limits = kTuneLimits;
    for (const std::string& variant : problem.variants) {
      BenchmarkRow row = row_of(problem, variant);
      if (!measurer.leaves_out(problem, row)) {
        if (limits.out_of_time()) {
          row.note = "no time left";
        } else {
          measurer.measure(problem, timing_limits, row);
        }
      }
      if (!row.note.empty()) {
        outcome.left_out.push_back(name_of(row) + ": " + row.note);
        continue;
      }
      const double ms = row.timing.kernel_ms;
      timing_limits.abandon_ms = std::min(timing_limits.abandon_ms, kAbandonRatio * ms);
      outcome.measurements.push_back({problem.kernel, problem.sizes, variant, ms});
    }
  }
  return outcome;
}

std::string format_row(const BenchmarkReport& report, std::size_t row, std::size_t columns) {
  const BenchmarkRow& here = report.rows.at(row);
  const Layout layout = layout_of(report, here.kernel, columns);
  std::string text = row == 0 ? device_line(report, columns) : "";
  std::string sizes;  // empty if the row before has the same
  if (row == 0 || report.rows[row - 1].kernel != here.kernel) {
    text += head_of(here, layout);
    sizes = to_string(here.sizes);
  } else if (report.rows[row - 1].sizes != here.sizes) {
    sizes = to_string(here.sizes);
  }
  if (!layout.sizes_apart) {
    text += left(sizes, layout.sizes);
  } else {
    text += (sizes.empty() ? "" : sizes + '\n') + left("", 0);
  }
  return text + left(marked_name(here), layout.name) + line_of(here, report.ceilings, layout) +
         '\n';
}

std::string format_table(const BenchmarkReport& report, std::size_t columns) {
  std::string text;
  for (std::size_t row = 0; row < report.rows.size(); ++row) {
    text += format_row(report, row, columns);
  }
  return text;
}

}  // namespace lookalike
