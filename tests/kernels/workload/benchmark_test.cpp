#include "kernels/workload/benchmark.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/session/session.h"
#include "tests/kernels/shared_session.h"

namespace lookalike {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::Gt;
using testing::HasSubstr;

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

// Workloads whose runs launch one small kernel, or fail.
class RunBenchmarks : public testing::Test {
 protected:
  Workload workload(const std::string& kernel, double amount, std::vector<std::string> variants) {
    return {.kernel = kernel,
            .sizes = {{"n", 1}},
            .amount = amount,
            .variants = std::move(variants),
            .prepare = [this](const std::string& variant) {
              if (variant == "broken") throw Error(ErrorKind::kDevice, "cannot");
              return [this] { launch(); };
            }};
  }
  void launch() {
    cl::Kernel kernel = session_.kernel({"tuning/instruction_set.cl"}, "instruction_set");
    const cl::Buffer level = session_.allocate(sizeof(cl_int));
    set_arguments(kernel, level);
    session_.launch(kernel, "instruction_set", {1}, cl::NDRange{1});
  }
  BenchmarkReport run(const std::vector<Workload>& workloads, BenchmarkOptions options) {
    options.limits = {.budget_ms = 0, .min_runs = 1};
    options.ceiling_bytes = std::size_t{1} << 20U;
    return run_benchmarks(session_, workloads, options);
  }

  OpenClSession& session_ = shared_profiling_session();
};

TEST_F(RunBenchmarks, TimesEveryVariantAndMarksTheOneThatIsChosen) {
  const BenchmarkReport report = run({workload("one", 1e9, {"a", "b"})}, {});
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
  const auto workloads = {workload("one", 1e9, {"a", "broken"}),
                          workload("two", 1, {"a variant of a long name"})};
  EXPECT_EQ(format_table(run(workloads, options)), printed);
  EXPECT_THAT(later_ms, ElementsAre(0, 0, Gt(0)));
}

TEST_F(RunBenchmarks, AVariantThatFailsBecomesANote) {
  const BenchmarkReport report = run({workload("one", 1, {"broken", "a"})}, {});
  EXPECT_EQ(report.rows[0].note, "failed: cannot");
  EXPECT_TRUE(report.rows[0].failed);
  EXPECT_EQ(report.rows[1].note, "");
}

TEST_F(RunBenchmarks, WhatWouldTakeTooLongIsNotRun) {
  const auto workloads = {workload("one", 1, {"a"}), workload("one", 1e12, {"a"})};
  const BenchmarkReport report = run(workloads, {.longest_run_ms = 10'000});
  EXPECT_EQ(report.rows[0].note, "");
  EXPECT_THAT(report.rows[1].note, HasSubstr("not run: about"));
}

TEST_F(RunBenchmarks, OnlyTheKernelThatWasAskedForRuns) {
  const auto workloads = {workload("one", 1, {"a"}), workload("two", 1, {"a"})};
  EXPECT_THAT(run(workloads, {.kernel = "two"}).rows,
              ElementsAre(Field(&BenchmarkRow::kernel, "two")));
}

TEST_F(RunBenchmarks, AnUnknownKernelIsAUsageErrorThatNamesTheKnown) {
  const auto workloads = {workload("one", 1, {"a"}), workload("two", 1, {"a"})};
  try {
    run(workloads, {.kernel = "three"});
    FAIL() << "ran";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(), "bench: kernel must be one of one, two, was 'three'");
  }
}

}  // namespace
}  // namespace lookalike
