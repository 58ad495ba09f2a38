#include "kernels/workload/tune.h"

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/tuning/tuning.h"

namespace lookalike {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Workload workload(std::uint64_t n, std::vector<std::string> variants = {"slow", "fast"}) {
  return {.kernel = "kernel",
          .sizes = {{"n", n}},
          .amount = static_cast<double>(n),
          .variants = std::move(variants)};
}

// Measurements that were made up: so many ms per run and per unit of work.
class FakeDevice {
 public:
  MeasureVariant measure() {
    return [this](const Workload& workload, const std::string& variant, double hopeless_ms) {
      runs.push_back(variant + ' ' + std::to_string(static_cast<int>(workload.amount)));
      last_hopeless_ms = hopeless_ms;
      const double ms = ms_per_work.at(variant);
      if (ms < 0) throw Error(ErrorKind::kDevice, "cannot");
      return ms_per_run[variant] + ms * workload.amount;
    };
  }
  std::map<std::string, double> ms_per_work = {{"slow", 3}, {"fast", 1}, {"broken", -1}};
  std::map<std::string, double> ms_per_run;
  std::vector<std::string> runs;
  double last_hopeless_ms = 0;
};

TEST(Tune, MeasuresEveryVariantAndTheFastestIsChosen) {
  FakeDevice device;
  const TuneOutcome outcome = tune({workload(10)}, device.measure(), {});
  EXPECT_THAT(outcome.measurements, ElementsAre(Measurement{"kernel", {{"n", 10}}, "slow", 30},
                                                Measurement{"kernel", {{"n", 10}}, "fast", 10}));
  EXPECT_THAT(outcome.left_out, IsEmpty());
  const std::vector<std::string> variants = {"slow", "fast"};
  const Tuning tuning({{.measurements = outcome.measurements}});
  EXPECT_EQ(tuning.fastest("kernel", {{"n", 11}}, variants), "fast");
}

TEST(Tune, AVariantThatAloneIsPossibleIsNotMeasured) {
  FakeDevice device;
  EXPECT_THAT(tune({workload(10, {"fast"})}, device.measure(), {}).measurements, IsEmpty());
  EXPECT_THAT(device.runs, IsEmpty());
}

TEST(Tune, AVariantThatWouldTakeTooLongIsLeftOutAtLargerSizes) {
  FakeDevice device;
  const TuneOutcome outcome =
      tune({workload(10), workload(100)}, device.measure(), {.variant_ms = 200});
  EXPECT_THAT(device.runs, ElementsAre("slow 10", "fast 10", "fast 100"));
  EXPECT_THAT(outcome.left_out, ElementsAre("kernel n=100 slow: would take about 300 ms"));
}

TEST(Tune, AVariantThatIsLeftOutOnceStaysSoAtLargerSizesStill) {
  FakeDevice device;
  device.ms_per_work["slow"] = 30;
  tune({workload(10), workload(100), workload(1000)}, device.measure(), {.variant_ms = 1200});
  EXPECT_THAT(device.runs, ElementsAre("slow 10", "fast 10", "fast 100", "fast 1000"));
}

// As Fourier transforms are, whose time does not grow with the pattern.
TEST(Tune, AVariantThatIsSlowAtTinySizesIsTriedAtLargeOnes) {
  FakeDevice device;
  device.ms_per_run = {{"fast", 100}};
  const TuneOutcome outcome =
      tune({workload(4), workload(1000)}, device.measure(), {.variant_ms = 2000});
  EXPECT_THAT(outcome.left_out, IsEmpty());
  const std::vector<std::string> variants = {"slow", "fast"};
  const Tuning tuning({{.measurements = outcome.measurements}});
  EXPECT_EQ(tuning.fastest("kernel", {{"n", 4}}, variants), "slow");
  EXPECT_EQ(tuning.fastest("kernel", {{"n", 1000}}, variants), "fast");
}

TEST(Tune, AVariantThatFailsIsLeftOutAndTheRestGoesOn) {
  FakeDevice device;
  const TuneOutcome outcome = tune({workload(10, {"broken", "fast"})}, device.measure(), {});
  EXPECT_THAT(outcome.left_out, ElementsAre("kernel n=10 broken: cannot"));
  EXPECT_THAT(outcome.measurements, ElementsAre(Measurement{"kernel", {{"n", 10}}, "fast", 10}));
}

TEST(Tune, WhenTimeIsOverTheRestIsLeftOut) {
  FakeDevice device;
  const auto out_of_time = [&] { return !device.runs.empty(); };
  const TuneOutcome outcome = tune({workload(10)}, device.measure(), {.out_of_time = out_of_time});
  EXPECT_THAT(device.runs, ElementsAre("slow 10"));
  EXPECT_THAT(outcome.left_out, ElementsAre("kernel n=10 fast: no time left"));
}

TEST(Tune, HopelessIsThreeTimesTheBestSoFar) {
  FakeDevice device;
  tune({workload(10)}, device.measure(), {});
  EXPECT_EQ(device.last_hopeless_ms, 90);
}

TEST(Tune, AnErrorThatIsNotTheDevicesIsNotHidden) {
  const auto measure = [](const Workload&, const std::string&, double) -> double {
    throw Error(ErrorKind::kInternal, "a bug");
  };
  EXPECT_THROW(tune({workload(10)}, measure, {}), Error);
}

}  // namespace
}  // namespace lookalike
