#include "kernels/benchmark/benchmark.h"

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "kernels/session/session.h"
#include "kernels/tuning/tuning.h"
#include "tests/kernels/shared_session.h"

namespace lookalike {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;

BenchmarkReport example() {
  BenchmarkReport report{.device = {.device = "A GPU", .driver = "1.2"},
                         .ceilings = {.multiply_add_gflops = 1000, .copy_gbs = 80, .read_gbs = 50}};
  report.rows = {{.kernel = "assign",
                  .sizes = {{"words", 64}},
                  .variant = "fused",
                  .chosen = true,
                  .timing = {.kernel_ms = 2, .transfer_ms = 0.25, .wall_ms = 3, .runs = 5},
                  .amount = 1e9},
                 {.kernel = "assign",
                  .sizes = {{"words", 64}},
                  .variant = "gpu1",
                  .note = "not run: about 9 s"},
                 {.kernel = "surf",
                  .sizes = {{"images", 2}},
                  .variant = "layers",
                  .timing = {.kernel_ms = 4, .transfer_ms = 0, .wall_ms = 5},
                  .unit = WorkUnit::kPixels,
                  .amount = 6e5}};
  return report;
}

TEST(BenchmarkTable, IsOneTableForEachKernel) {
  EXPECT_EQ(format_table(example()),
            "A GPU, driver 1.2: multiply-add 1000 GFLOP/s, copy 80.0 GB/s, read 50.0 GB/s\n"
            "\n"
            "assign              kernel ms  transfer ms   wall ms   GFLOP/s  of ceiling\n"
            "words=64  fused *        2.00        0.250      3.00       500        50 %\n"
            "          gpu1       not run: about 9 s\n"
            "\n"
            "surf               kernel ms  transfer ms   wall ms  Mpixel/s  of ceiling\n"
            "images=2  layers        4.00            0      5.00       150            \n");
}

TEST(BenchmarkTable, GivesUpColumnsWhereItIsTooWide) {
  EXPECT_EQ(format_table(example(), 70),
            "A GPU, driver 1.2:\n"
            "  multiply-add 1000 GFLOP/s, copy 80.0 GB/s, read 50.0 GB/s\n"
            "\n"
            "assign      kernel ms  transfer ms   wall ms   GFLOP/s  of ceiling\n"
            "words=64\n"
            "  fused *        2.00        0.250      3.00       500        50 %\n"
            "  gpu1       not run: about 9 s\n"
            "\n"
            "surf       kernel ms  transfer ms   wall ms  Mpixel/s  of ceiling\n"
            "images=2\n"
            "  layers        4.00            0      5.00       150            \n");
  EXPECT_THAT(format_table(example(), 50),
              HasSubstr("\nassign      kernel ms   GFLOP/s  of ceiling\n"));
}

TEST(BenchmarkShare, EachUnitHasItsCeiling) {
  const Ceilings ceilings{.multiply_add_gflops = 100, .copy_gbs = 10, .read_gbs = 5};
  BenchmarkRow row = example().rows.front();
  row.timing.kernel_ms = 1000;
  row.amount = 1e9;
  EXPECT_EQ(share_of_ceiling(row, ceilings), 0.01);
  row.unit = WorkUnit::kCopiedBytes;
  EXPECT_EQ(share_of_ceiling(row, ceilings), 0.1);
  row.unit = WorkUnit::kReadBytes;
  EXPECT_EQ(share_of_ceiling(row, ceilings), 0.2);
  row.unit = WorkUnit::kPixels;
  EXPECT_EQ(share_of_ceiling(row, ceilings), std::nullopt);
}

void launch(OpenClSession& session) {
  cl::Kernel kernel = session.kernel({"session/instruction_set.cl"}, "instruction_set");
  const cl::Buffer level = session.allocate(sizeof(cl_int));
  set_arguments(kernel, level);
  session.launch(kernel, "instruction_set", {1}, cl::NDRange{1});
}

class RunBenchmarks : public testing::Test {
 protected:
  KernelCase problem(const std::string& kernel, double amount, std::vector<std::string> variants) {
    return {.kernel = kernel,
            .sizes = {{"n", 1}},
            .amount = amount,
            .variants = std::move(variants),
            .prepare = [this](const std::string& variant) {
              if (variant == "broken") throw Error(ErrorKind::kDevice, "cannot");
              return CaseRun{[this] { launch(session_); }, {}};
            }};
  }
  BenchmarkReport run(const std::vector<KernelCase>& cases, BenchmarkOptions options) {
    options.limits = {.budget_ms = 0, .min_runs = 1};
    options.ceiling_bytes = std::size_t{1} << 20U;
    return run_benchmarks(session_, cases, options);
  }

  OpenClSession& session_ = shared_profiling_session();
};

TEST_F(RunBenchmarks, TimesEveryVariantAndMarksTheOneThatIsChosen) {
  const BenchmarkReport report = run({problem("one", 1e9, {"a", "b"})}, {});
  ASSERT_EQ(report.rows.size(), 2U);
  EXPECT_TRUE(report.rows[0].chosen);
  EXPECT_FALSE(report.rows[1].chosen);
  for (const BenchmarkRow& row : report.rows) {
    EXPECT_GT(row.timing.kernel_ms, 0);
    EXPECT_GE(row.timing.wall_ms, row.timing.kernel_ms);
    EXPECT_GT(row.rate(), 0);
  }
  EXPECT_EQ(report.device, session_.tuning_target());
}

TEST_F(RunBenchmarks, RowsAreToldOfAsSoonAsTheyAreMeasured) {
  std::string printed;
  std::vector<double> later_ms;
  BenchmarkOptions options;
  options.measured = [&](const BenchmarkReport& report, std::size_t row) {
    printed += format_row(report, row);
    later_ms.push_back(report.rows.back().timing.kernel_ms);
  };
  const auto cases = {problem("one", 1e9, {"a", "broken"}),
                      problem("two", 1, {"a variant of a long name"})};
  EXPECT_EQ(format_table(run(cases, options)), printed);
  EXPECT_THAT(later_ms, ElementsAre(0, 0, Gt(0)));
}

TEST_F(RunBenchmarks, AVariantThatFailsBecomesANote) {
  const BenchmarkReport report = run({problem("one", 1, {"broken", "a"})}, {});
  EXPECT_EQ(report.rows[0].note, "failed: cannot");
  EXPECT_TRUE(report.rows[0].failed);
  EXPECT_EQ(report.rows[1].note, "");
}

TEST_F(RunBenchmarks, WhatWouldTakeTooLongIsNotRun) {
  const auto cases = {problem("one", 1, {"a"}), problem("one", 1e12, {"a"})};
  const BenchmarkReport report = run(cases, {.longest_run_ms = 10'000});
  EXPECT_EQ(report.rows[0].note, "");
  EXPECT_THAT(report.rows[1].note, HasSubstr("not run: about"));
}

TEST_F(RunBenchmarks, OnlyTheKernelThatWasAskedForRuns) {
  const auto cases = {problem("one", 1, {"a"}), problem("two", 1, {"a"})};
  EXPECT_THAT(run(cases, {.kernel = "two"}).rows, ElementsAre(Field(&BenchmarkRow::kernel, "two")));
}

TEST_F(RunBenchmarks, AnUnknownKernelIsAUsageErrorThatNamesTheKnown) {
  const auto cases = {problem("one", 1, {"a"}), problem("two", 1, {"a"})};
  try {
    run(cases, {.kernel = "three"});
    FAIL() << "ran";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(), "bench: kernel must be one of one, two, was 'three'");
  }
}

class TimeRuns : public testing::Test {
 protected:
  OpenClSession& session_ = shared_profiling_session();
  int runs_ = 0;
  std::function<void()> run_ = [this] {
    ++runs_;
    launch(session_);
  };
};

TEST_F(TimeRuns, AFirstRunThatTakesTooLongIsTheOnlyOne) {
  EXPECT_EQ(time_runs(session_, run_, {.budget_ms = 0, .min_runs = 3, .abandon_ms = 0}).runs, 1);
  EXPECT_EQ(runs_, 1);
}

TEST_F(TimeRuns, TheFirstRunWarmsUpAndDoesNotCount) {
  EXPECT_EQ(time_runs(session_, run_, {.budget_ms = 0, .min_runs = 4}).runs, 4);
  EXPECT_EQ(runs_, 5);
}

TEST_F(TimeRuns, TheLaunchesMakeUpTheTimeOfTheKernels) {
  const Timing timing = time_runs(session_, run_, {});
  EXPECT_GT(timing.kernel_ms, 0);
  double sum_ms = 0;
  for (const auto& [label, ms] : timing.launch_ms) sum_ms += ms;
  EXPECT_NEAR(sum_ms, timing.kernel_ms, 1e-9);
}

TEST(LeastOf, TakesEachNumberByItself) {
  const Timing a{
      .kernel_ms = 1, .transfer_ms = 5, .wall_ms = 7, .runs = 2, .launch_ms = {{"a", 1}}};
  const Timing b{
      .kernel_ms = 2, .transfer_ms = 4, .wall_ms = 8, .runs = 3, .launch_ms = {{"b", 2}}};
  for (const Timing& least : {least_of(a, b), least_of(b, a)}) {
    EXPECT_EQ(least.kernel_ms, 1);
    EXPECT_EQ(least.transfer_ms, 4);
    EXPECT_EQ(least.wall_ms, 7);
    EXPECT_EQ(least.runs, 5);
    EXPECT_EQ(least.launch_ms, a.launch_ms);
  }
}

TEST(Ceilings, AreMeasured) {
  OpenClSession& session = shared_profiling_session();
  const Ceilings ceilings = measure_ceilings(session, std::size_t{1} << 20U);
  EXPECT_GT(ceilings.multiply_add_gflops, 1);
  EXPECT_GT(ceilings.copy_gbs, 0.1);
  EXPECT_GT(ceilings.read_gbs, 0.1);
}

TEST(QuickCases, EveryVariantRunsAndIsTimed) {
  OpenClSession& session = shared_profiling_session();
  const MeasureVariant measure = measure_on(session);
  for (const KernelCase& problem : all_cases(session, CaseScale::kQuick)) {
    for (const std::string& variant : problem.variants) {
      SCOPED_TRACE(problem.kernel + ' ' + variant);
      const Timing timing = measure(problem, variant, {.budget_ms = 0, .min_runs = 1});
      EXPECT_GT(timing.kernel_ms, 0);
      EXPECT_GT(timing.transfer_ms, 0);
      EXPECT_EQ(timing.runs, 1);
    }
  }
}

KernelCase tuned(std::uint64_t n, std::vector<std::string> variants = {"slow", "fast"}) {
  return {.kernel = "kernel",
          .sizes = {{"n", n}},
          .amount = static_cast<double>(n),
          .variants = std::move(variants)};
}

// Invented measurements: constant ms per run and per unit of work.
class FakeDevice {
 public:
  MeasureVariant measure() {
    return
        [this](const KernelCase& problem, const std::string& variant, const TimingLimits& limits) {
          runs.push_back(variant + ' ' + std::to_string(static_cast<int>(problem.amount)));
          last_abandon_ms = limits.abandon_ms;
          const double ms = ms_per_work.at(variant);
          if (ms < 0) throw Error(ErrorKind::kDevice, "cannot");
          return Timing{.kernel_ms = ms_per_run[variant] + ms * problem.amount};
        };
  }
  std::map<std::string, double> ms_per_work = {{"slow", 3}, {"fast", 1}, {"broken", -1}};
  std::map<std::string, double> ms_per_run;
  std::vector<std::string> runs;
  double last_abandon_ms = 0;
};

TEST(Tune, MeasuresEveryVariantAndTheFastestIsChosen) {
  FakeDevice device;
  const TuneOutcome outcome = tune({tuned(10)}, device.measure(), {});
  EXPECT_THAT(outcome.measurements, ElementsAre(Measurement{"kernel", {{"n", 10}}, "slow", 30},
                                                Measurement{"kernel", {{"n", 10}}, "fast", 10}));
  EXPECT_THAT(outcome.left_out, IsEmpty());
  const std::vector<std::string> variants = {"slow", "fast"};
  const Tuning tuning({{.measurements = outcome.measurements}});
  EXPECT_EQ(tuning.fastest("kernel", {{"n", 11}}, variants), "fast");
}

TEST(Tune, AVariantThatAloneIsPossibleIsNotMeasured) {
  FakeDevice device;
  EXPECT_THAT(tune({tuned(10, {"fast"})}, device.measure(), {}).measurements, IsEmpty());
  EXPECT_THAT(device.runs, IsEmpty());
}

TEST(Tune, AVariantThatWouldTakeTooLongIsLeftOutAtLargerSizes) {
  FakeDevice device;
  const TuneOutcome outcome =
      tune({tuned(10), tuned(100)}, device.measure(), {.longest_run_ms = 200});
  EXPECT_THAT(device.runs, ElementsAre("slow 10", "fast 10", "fast 100"));
  EXPECT_THAT(outcome.left_out, ElementsAre("kernel n=100 slow: not run: about 300 ms"));
}

TEST(Tune, AVariantThatIsLeftOutOnceStaysSoAtLargerSizesStill) {
  FakeDevice device;
  device.ms_per_work["slow"] = 30;
  tune({tuned(10), tuned(100), tuned(1000)}, device.measure(), {.longest_run_ms = 1200});
  EXPECT_THAT(device.runs, ElementsAre("slow 10", "fast 10", "fast 100", "fast 1000"));
}

// Takes a constant time, as Fourier transforms do, which does not grow with the pattern.
TEST(Tune, AVariantThatIsSlowAtTinySizesIsTriedAtLargeOnes) {
  FakeDevice device;
  device.ms_per_run = {{"fast", 100}};
  const TuneOutcome outcome =
      tune({tuned(4), tuned(1000)}, device.measure(), {.longest_run_ms = 2000});
  EXPECT_THAT(outcome.left_out, IsEmpty());
  const std::vector<std::string> variants = {"slow", "fast"};
  const Tuning tuning({{.measurements = outcome.measurements}});
  EXPECT_EQ(tuning.fastest("kernel", {{"n", 4}}, variants), "slow");
  EXPECT_EQ(tuning.fastest("kernel", {{"n", 1000}}, variants), "fast");
}

TEST(Tune, AVariantThatFailsIsLeftOutAndTheRestGoesOn) {
  FakeDevice device;
  const TuneOutcome outcome = tune({tuned(10, {"broken", "fast"})}, device.measure(), {});
  EXPECT_THAT(outcome.left_out, ElementsAre("kernel n=10 broken: failed: cannot"));
  EXPECT_THAT(outcome.measurements, ElementsAre(Measurement{"kernel", {{"n", 10}}, "fast", 10}));
}

TEST(Tune, WhenTimeIsOverTheRestIsLeftOut) {
  FakeDevice device;
  const auto out_of_time = [&] { return !device.runs.empty(); };
  const TuneOutcome outcome = tune({tuned(10)}, device.measure(), {.out_of_time = out_of_time});
  EXPECT_THAT(device.runs, ElementsAre("slow 10"));
  EXPECT_THAT(outcome.left_out, ElementsAre("kernel n=10 fast: no time left"));
}

TEST(Tune, AVariantIsAbandonedAtThreeTimesTheBestSoFar) {
  FakeDevice device;
  tune({tuned(10)}, device.measure(), {});
  EXPECT_EQ(device.last_abandon_ms, 90);
}

TEST(Tune, AnErrorThatIsNotTheDevicesIsNotHidden) {
  const auto measure = [](const KernelCase&, const std::string&, const TimingLimits&) -> Timing {
    throw Error(ErrorKind::kInternal, "a bug");
  };
  EXPECT_THROW(tune({tuned(10)}, measure, {}), Error);
}

}  // namespace
}  // namespace lookalike
