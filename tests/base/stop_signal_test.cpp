#include "base/stop_signal.h"

#include <csignal>
#include <unistd.h>

#include <gtest/gtest.h>

namespace lookalike {
namespace {

class StopSignalTest : public ::testing::TestWithParam<int> {};

TEST_P(StopSignalTest, IsReceivedInsteadOfEndingTheProgram) {
  StopSignal stop;
  EXPECT_EQ(stop.received(), 0);
  ::kill(::getpid(), GetParam());
  EXPECT_EQ(stop.received(), GetParam());
  EXPECT_EQ(stop.received(), GetParam());
}

TEST_P(StopSignalTest, ASecondOneEndsTheProgram) {
  const auto stopped_twice = [] {
    StopSignal stop;
    ::kill(::getpid(), GetParam());
    if (stop.received() != GetParam()) std::_Exit(1);
    ::kill(::getpid(), GetParam());
    std::_Exit(2);
  };
  EXPECT_EXIT(stopped_twice(), ::testing::KilledBySignal(GetParam()), "");
}

TEST_P(StopSignalTest, OneThatCameAndWasNotAskedForEndsTheProgramAfterwards) {
  const auto unasked = [] {
    {
      const StopSignal stop;
      ::kill(::getpid(), GetParam());
    }
    std::_Exit(2);
  };
  EXPECT_EXIT(unasked(), ::testing::KilledBySignal(GetParam()), "");
}

INSTANTIATE_TEST_SUITE_P(Both, StopSignalTest, ::testing::Values(SIGINT, SIGTERM),
                         [](const auto& test) { return signal_name(test.param); });

}  // namespace
}  // namespace lookalike
