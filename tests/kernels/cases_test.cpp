#include "kernels/cases.h"

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "kernels/surf/surf.h"
#include "kernels/synthetic_data.h"
#include "tests/kernels/shared_session.h"

namespace lookalike {

// Prints the parameter for gtest.
void PrintTo(const RegisteredKernel& kernel, std::ostream* stream) {
  *stream << kernel.name;
}

namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

std::vector<RegisteredKernel> every_kernel() {
  return {registered_kernels().begin(), registered_kernels().end()};
}

std::string name_of(const KernelCase& problem) {
  return problem.kernel + ' ' + to_string(problem.all_sizes());
}

class KernelCases : public testing::TestWithParam<std::tuple<std::string, RegisteredKernel>> {};

TEST_P(KernelCases, EveryVariantAgreesWithTheReference) {
  const auto& [device, kernel] = GetParam();
  OpenClSession& session = shared_session(device);
  const std::vector<KernelCase> cases = kernel.cases(session, CaseScale::kTest);
  ASSERT_THAT(cases, Not(IsEmpty()));
  for (const KernelCase& problem : cases) {
    EXPECT_EQ(problem.kernel, kernel.name);
    ASSERT_THAT(problem.variants, Not(IsEmpty()));
    for (const std::string& variant : problem.variants) {
      EXPECT_EQ(solve_and_check(problem, variant), "") << name_of(problem) << ' ' << variant;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryDevice, KernelCases,
                         testing::Combine(testing::ValuesIn(every_device()),
                                          testing::ValuesIn(every_kernel())),
                         [](const auto& instance) {
                           return "Device" + std::get<0>(instance.param).substr(2) + "_" +
                                  std::string(std::get<1>(instance.param).name);
                         });

std::vector<SelfTestResult> all_results(OpenClSession& session,
                                        CaseScale scale = CaseScale::kSelfTest) {
  std::vector<SelfTestResult> results;
  run_self_tests(session, SelfTests::kAll, scale,
                 {.begin = [](const std::string&) { return true; },
                  .end = [&](const SelfTestResult& result) { results.push_back(result); }});
  return results;
}

class SelfTest : public testing::TestWithParam<std::string> {};

// Run by tests/kernels/oclgrind_test.cpp.
TEST_P(SelfTest, ThoseForASimulatorPass) {
  for (const auto& result : all_results(shared_session(GetParam()), CaseScale::kSimulator)) {
    EXPECT_TRUE(result.passed) << result.name << ": " << result.detail;
  }
}

TEST_P(SelfTest, EveryKernelPassesUnderItsOwnName) {
  std::set<std::string> names;
  for (const SelfTestResult& result : all_results(shared_session(GetParam()))) {
    EXPECT_TRUE(result.passed) << result.name << ": " << result.detail;
    EXPECT_GT(result.elapsed_ms, 0) << result.name;
    EXPECT_TRUE(names.insert(result.name).second) << result.name << " occurs twice";
  }
  EXPECT_THAT(names, IsSupersetOf({"assign cpu", "assign fused", "assign gpu1", "assign gpu5",
                                   "correlation tiled", "integral image tiles", "pose search",
                                   "surf cpu", "warp"}));
}

TEST_P(SelfTest, KernelThatThrowsIsReportedAsFailed) {
  OpenClSession session({.device = GetParam(), .memory_limit_bytes = 1000});
  std::set<std::string> failed;
  for (const SelfTestResult& result : all_results(session)) {
    if (result.passed) continue;
    EXPECT_THAT(result.detail, HasSubstr("limit of 1000")) << result.name;
    failed.insert(result.name);
  }
  EXPECT_THAT(failed,
              IsSupersetOf({"assign fused", "correlation tiled", "surf cpu", "variance", "warp"}));
}

INSTANTIATE_TEST_SUITE_P(EveryDevice, SelfTest, testing::ValuesIn(every_device()));

TEST(AllCases, BenchmarksUseTheSizesThatTuningNames) {
  OpenClSession& session = shared_session();
  const auto names = [](const KernelCase& problem) {
    std::string text = problem.kernel;
    for (const auto& [name, size] : problem.sizes) text += ' ' + name;
    return text;
  };
  std::vector<std::string> tuned;
  for (const KernelCase& problem : all_cases(session, CaseScale::kTuning)) {
    tuned.push_back(names(problem));
  }
  for (const KernelCase& problem : all_cases(session, CaseScale::kFull)) {
    EXPECT_GT(problem.amount, 0) << name_of(problem);
    EXPECT_THAT(tuned, Contains(names(problem)));
  }
}

TEST(KernelCase, MakesItsInputsOnceAndRefusesUnknownVariants) {
  int made = 0;
  const auto prepare = [](OpenClSession&, const int& inputs, const std::string& variant) {
    return CaseRun{[] {}, [&inputs, variant] { return std::to_string(inputs) + variant; }};
  };
  const KernelCase problem = with_variants(
      {.kernel = "kernel"}, shared_session(), std::vector<std::string>{"a", "b"},
      [&made] { return ++made; }, prepare);
  EXPECT_EQ(solve_and_check(problem, "a"), "1a");
  EXPECT_EQ(solve_and_check(problem, "b"), "1b");
  EXPECT_THROW(problem.prepare("c"), Error);
}

TEST(Difference, NamesTheFirstValueThatIsOffByMoreThanTheTolerance) {
  const std::vector<float> found = {1, NAN, 3};
  EXPECT_EQ(difference(found, std::vector<double>{1, NAN, 3.5}, 0.5), "");
  EXPECT_THAT(difference(found, std::vector<double>{1, NAN, 3.5}, 0.4), HasSubstr("value 2 is 3"));
  EXPECT_THAT(difference(found, std::vector<double>{1, 2, 3}, 9), HasSubstr("value 1 is"));
  EXPECT_EQ(difference(found, std::vector<double>{}), "3 values, expected 0");
}

TEST(Pictures, AreTheSameForTheSameSeed) {
  EXPECT_EQ(noise_picture(17, 5, 3).pixels, noise_picture(17, 5, 3).pixels);
  EXPECT_NE(noise_picture(17, 5, 3).pixels, noise_picture(17, 5, 4).pixels);
  EXPECT_EQ(textured_picture(90, 70, 3).pixels, textured_picture(90, 70, 3).pixels);
}

TEST(Pictures, TexturedOnesHaveAboutFiveThousandFeatures) {
  const GrayImage picture = textured_picture(1920, 1080, 1);
  const ImageView view = picture.view();
  Surf surf(shared_session(), {.hessian_threshold = kPictureHessianThreshold, .upright = true});
  EXPECT_NEAR(static_cast<double>(surf.extract({&view, 1}).front().size()), 5000, 250);
}

}  // namespace
}  // namespace lookalike
