#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>

#include <gtest/gtest.h>

#include "pipeline/index/index_run.h"

namespace lookalike {
namespace {

RunOptions asking_for(std::uint32_t niceness) {
  RunOptions options;
  options.niceness = niceness;
  return options;
}

// Each in a process of its own: niceness cannot be taken back.
class NicenessDeathTest : public ::testing::Test {
 protected:
  NicenessDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(NicenessDeathTest, IsRaised) {
  const auto raise = [] {
    const bool warned = raise_niceness(asking_for(19)).has_value();
    std::_Exit(!warned && ::getpriority(PRIO_PROCESS, 0) == 19 ? 0 : 1);
  };
  EXPECT_EXIT(raise(), ::testing::ExitedWithCode(0), "");
}

TEST_F(NicenessDeathTest, IsNeverLoweredAndAWarningSaysSo) {
  const auto lower = [] {
    ::setpriority(PRIO_PROCESS, 0, 19);
    const auto warning = raise_niceness(asking_for(5));
    std::fputs(warning.value_or("no warning").c_str(), stderr);
    std::_Exit(::getpriority(PRIO_PROCESS, 0) == 19 ? 0 : 1);
  };
  EXPECT_EXIT(lower(), ::testing::ExitedWithCode(0), "run.niceness: stays 19, 5 was asked for: ");
}

}  // namespace
}  // namespace lookalike
