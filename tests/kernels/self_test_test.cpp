#include "kernels/self_test.h"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kernels/shared_session.h"

namespace lookalike {
namespace {

class SelfTestTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  std::string device_ = "::" + std::to_string(GetParam());
};

TEST_P(SelfTestTest, TinyOnesPass) {
  OpenClSession& session = shared_session(device_);
  for (const SelfTestResult& result : run_self_tests(session, SelfTestScale::kTiny)) {
    EXPECT_TRUE(result.passed) << result.name << ": " << result.detail;
  }
}

TEST_P(SelfTestTest, EveryKernelPassesUnderANameOfItsOwn) {
  OpenClSession& session = shared_session(device_);
  std::set<std::string> names;
  for (const SelfTestResult& result : run_self_tests(session)) {
    EXPECT_TRUE(result.passed) << result.name << ": " << result.detail;
    EXPECT_GT(result.elapsed_ms, 0) << result.name;
    EXPECT_TRUE(names.insert(result.name).second) << result.name << " comes twice";
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf({"assign cpu", "assign fused", "assign gpu1",
                                              "assign gpu5", "correlation tiled", "surf cpu",
                                              "variance two-stage", "warp"}));
}

// Variance may pass: on a CPU it reads images where they are, and needs next to no memory.
TEST_P(SelfTestTest, KernelThatThrowsIsReportedAsFailed) {
  OpenClSession session({.device = device_, .memory_limit_bytes = 1000});
  std::set<std::string> failed;
  for (const SelfTestResult& result : run_self_tests(session)) {
    if (result.passed) continue;
    EXPECT_THAT(result.detail, ::testing::HasSubstr("limit of 1000")) << result.name;
    failed.insert(result.name);
  }
  EXPECT_THAT(failed,
              ::testing::IsSupersetOf({"assign fused", "correlation tiled", "surf cpu", "warp"}));
}

INSTANTIATE_TEST_SUITE_P(EveryDevice, SelfTestTest,
                         ::testing::Range<std::size_t>(0, list_devices().size()));

}  // namespace
}  // namespace lookalike
