#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/surf/surf.h"
#include "kernels/workload/ceilings.h"
#include "kernels/workload/inputs.h"
#include "kernels/workload/timing.h"
#include "kernels/workload/workload.h"
#include "tests/kernels/shared_session.h"

namespace lookalike {
namespace {

using testing::IsEmpty;
using testing::Not;

TEST(Workloads, EveryVariantOfTheQuickOnesRunsAndIsTimed) {
  OpenClSession& session = shared_profiling_session();
  for (const Workload& workload : all_workloads(session, WorkloadScale::kQuick)) {
    EXPECT_GT(workload.amount, 0) << workload.kernel;
    EXPECT_THAT(workload.variants, Not(IsEmpty())) << workload.kernel;
    for (const std::string& variant : workload.variants) {
      SCOPED_TRACE(workload.kernel + ' ' + variant);
      const Timing timing =
          time_runs(session, workload.prepare(variant), {.budget_ms = 0, .min_runs = 1});
      EXPECT_GT(timing.kernel_ms, 0);
      EXPECT_GT(timing.transfer_ms, 0);
      EXPECT_EQ(timing.runs, 1);
    }
  }
}

TEST(Workloads, TuningAndBenchmarkAskByTheSameNames) {
  OpenClSession& session = shared_profiling_session();
  const auto names = [](const Workload& workload) {
    std::string text = workload.kernel;
    for (const auto& [name, size] : workload.sizes) text += ' ' + name;
    return text;
  };
  std::vector<std::string> tuned;
  for (const Workload& workload : all_workloads(session, WorkloadScale::kTuning)) {
    tuned.push_back(names(workload));
  }
  for (const Workload& workload : all_workloads(session, WorkloadScale::kFull)) {
    EXPECT_THAT(tuned, testing::Contains(names(workload)));
  }
}

TEST(TimeRuns, AHopelessRunIsNotRepeated) {
  OpenClSession& session = shared_profiling_session();
  const Workload workload = all_workloads(session, WorkloadScale::kQuick).front();
  int runs = 0;
  const auto run = [&, work = workload.prepare(workload.variants.front())] {
    ++runs;
    work();
  };
  EXPECT_EQ(time_runs(session, run, {.budget_ms = 0, .min_runs = 3, .hopeless_ms = 0}).runs, 1);
  EXPECT_EQ(runs, 1);
}

TEST(TimeRuns, RunsAtLeastAsOftenAsAsked) {
  OpenClSession& session = shared_profiling_session();
  const Workload workload = all_workloads(session, WorkloadScale::kQuick).front();
  const auto run = workload.prepare(workload.variants.front());
  EXPECT_EQ(time_runs(session, run, {.budget_ms = 0, .min_runs = 4}).runs, 4);
}

TEST(TimeRuns, TheLaunchesMakeUpTheTimeOfTheKernels) {
  OpenClSession& session = shared_profiling_session();
  const Workload workload = all_workloads(session, WorkloadScale::kQuick).front();
  const Timing timing = time_runs(session, workload.prepare(workload.variants.front()), {});
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

TEST(CeilingsTest, AreMeasured) {
  OpenClSession& session = shared_profiling_session();
  const Ceilings ceilings = measure_ceilings(session, std::size_t{1} << 20U);
  EXPECT_GT(ceilings.multiply_add_gflops, 1);
  EXPECT_GT(ceilings.copy_gbs, 0.1);
  EXPECT_GT(ceilings.read_gbs, 0.1);
}

TEST(Lazy, IsMadeOnceForAllCopies) {
  int made = 0;
  const Lazy<int> first([&] { return ++made; });
  const Lazy<int> second = first;
  EXPECT_EQ(first.get() + second.get(), 2);
  EXPECT_EQ(made, 1);
}

TEST(Pictures, AreTheSameForTheSameSeed) {
  EXPECT_EQ(noise_picture(17, 5, 3).pixels, noise_picture(17, 5, 3).pixels);
  EXPECT_NE(noise_picture(17, 5, 3).pixels, noise_picture(17, 5, 4).pixels);
  EXPECT_EQ(textured_picture(90, 70, 3).pixels, textured_picture(90, 70, 3).pixels);
}

TEST(Pictures, TexturedOnesHaveAsManyFeaturesAsTheyAreSaidToHave) {
  const GrayImage picture = textured_picture(1920, 1080, 1);
  const ImageView view = picture.view();
  Surf surf(shared_session(), {.hessian_threshold = kPictureHessianThreshold, .upright = true});
  EXPECT_NEAR(static_cast<double>(surf.extract({&view, 1}).front().size()), 5000, 250);
}

}  // namespace
}  // namespace lookalike
