#include "base/main_guard.h"

#include <new>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

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

TEST(RunMain, LackOfMemoryIsSaidWithWhatNeedsLess) {
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

}  // namespace
}  // namespace lookalike
