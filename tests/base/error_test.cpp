#include "base/error.h"

#include <gtest/gtest.h>

namespace lookalike {
namespace {

TEST(Error, EachKindHasItsExitCode) {
  EXPECT_EQ(exit_code(ErrorKind::kUsage), 2);
  EXPECT_EQ(exit_code(ErrorKind::kInput), 3);
  EXPECT_EQ(exit_code(ErrorKind::kDevice), 4);
  EXPECT_EQ(exit_code(ErrorKind::kStorage), 5);
  EXPECT_EQ(exit_code(ErrorKind::kInternal), 70);
}

TEST(Require, ThrowsABugWhenItDoesNotHold) {
  EXPECT_NO_THROW(require(true, "fine"));
  EXPECT_THROW(require(false, "not fine"), Error);
}

}  // namespace
}  // namespace lookalike
