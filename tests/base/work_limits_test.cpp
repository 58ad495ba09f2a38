#include "base/work_limits.h"

#include <chrono>
#include <cstddef>
#include <thread>

#include <gtest/gtest.h>

#include "base/parallel.h"

namespace lookalike {
namespace {

using namespace std::chrono_literals;
using Clock = WorkLimits::Clock;

TEST(WorkLimits, WithoutThemNothingIsOverdue) {
  EXPECT_EQ(WorkLimits::current(), nullptr);
  EXPECT_FALSE(is_overdue());
  EXPECT_NO_THROW(check_time());
}

TEST(WorkLimits, HoldForTheirThreadAndUntilTheWorkEnds) {
  const WorkLimits past(Clock::now() - 1s);
  {
    const LimitedWork limited(&past);
    EXPECT_THROW(check_time(), Overdue);
    std::thread([] { EXPECT_FALSE(is_overdue()); }).join();
    const WorkLimits future(Clock::now() + 1h);
    {
      const LimitedWork inner(&future);
      EXPECT_FALSE(is_overdue());
    }
    EXPECT_TRUE(is_overdue());
  }
  EXPECT_FALSE(is_overdue());
}

TEST(WorkLimits, TheEndIsOnlyBroughtForward) {
  const auto now = Clock::now();
  WorkLimits limits(now + 1h);
  limits.shorten(now + 2h);
  EXPECT_EQ(limits.end(), now + 1h);
  limits.shorten(now);
  EXPECT_EQ(limits.end(), now);
}

TEST(WorkLimits, HoldOnAllThreadsOfALoopWhichTheyEnd) {
  WorkLimits limits(Clock::now() + 1h);
  const LimitedWork limited(&limits);
  for (const std::size_t threads : {1U, 4U}) {
    parallel_for(100, threads, [&](std::size_t) { EXPECT_EQ(WorkLimits::current(), &limits); });
  }
  limits.shorten(Clock::now());
  EXPECT_THROW(parallel_for(100, 2, [](std::size_t) { ADD_FAILURE() << "begun"; }), Overdue);
}

}  // namespace
}  // namespace lookalike
