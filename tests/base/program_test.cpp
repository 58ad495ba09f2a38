#include "base/program.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include "base/error.h"

namespace lookalike {
namespace {

TEST(RunMain, ReturnsWhatTheBodyReturns) {
  EXPECT_EQ(run_main("test", [] { return 1; }), 1);
}

TEST(RunMain, ErrorBecomesItsExitCodeAndALineOnStderr) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run_main("test", []() -> int { throw Error(ErrorKind::kStorage, "disk full"); }), 5);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "test: error: disk full\n");
}

TEST(RunMain, NamesInMessagesTurnNoTextOnATerminal) {
  ::testing::internal::CaptureStderr();
  run_main("test", []() -> int {
    logger()->warn("a\u202Egpj");
    throw Error(ErrorKind::kStorage, "b\u202Egpj");
  });
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "warning: a\\xE2\\x80\\xAEgpj\ntest: error: b\\xE2\\x80\\xAEgpj\n");
}

TEST(RunMain, LackOfMemoryNamesTheSettingsThatReduceIt) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run_main("test", []() -> int { throw std::bad_alloc(); }), 4);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("out of memory"), std::string::npos);
}

TEST(RunMain, AnyOtherExceptionIsABug) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run_main("test", []() -> int { throw std::runtime_error("oops"); }), 70);
  EXPECT_EQ(run_main("test", []() -> int { throw 7; }), 70);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "test: error: oops\ntest: error: unknown exception\n");
}

class StopSignalTest : public ::testing::TestWithParam<int> {};

TEST_P(StopSignalTest, IsReceivedInsteadOfEndingTheProgram) {
  StopSignal stop;
  EXPECT_EQ(stop.received(), 0);
  ::kill(::getpid(), GetParam());
  EXPECT_EQ(stop.received(), GetParam());
  EXPECT_EQ(stop.received(), GetParam());
}

// Like the threads that a library starts when it is loaded.
TEST_P(StopSignalTest, IsReceivedByThreadsThatWereThereBefore) {
  std::promise<void> done;
  std::thread before([&] { done.get_future().wait(); });
  StopSignal stop;
  ::pthread_kill(before.native_handle(), GetParam());
  done.set_value();
  before.join();
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

TEST_P(StopSignalTest, OneThatWasNotReceivedEndsTheProgramAfterwards) {
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

TEST(RunMainDeathTest, ALibraryThatEndsTheProgramMakesItNoSuccess) {
  const auto end = [](int code) {
    run_main("test", [code]() -> int {
      const LastWords words([] { std::fputs("last words\n", stderr); });
      std::exit(code);
    });
  };
  EXPECT_EXIT(end(1), testing::ExitedWithCode(4), "with exit code 1\nlast words");
  EXPECT_EXIT(end(0), testing::ExitedWithCode(4), "with exit code 0");
  EXPECT_EXIT(std::exit(run_main("test", [] { return 3; })), testing::ExitedWithCode(3), "^$");
}

}  // namespace
}  // namespace lookalike
