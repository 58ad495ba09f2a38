#include "kernels/session/staging.h"

#include <array>
#include <cstring>

#include <gtest/gtest.h>

#include "kernels/session/session.h"

namespace lookalike {
namespace {

class StagingTest : public ::testing::Test {
 protected:
  std::byte* take(std::size_t bytes) {
    return static_cast<std::byte*>(memory_.take(session_.context(), session_.queue(), bytes));
  }

  OpenClSession session_;
  StagingMemory memory_;
};

TEST_F(StagingTest, PiecesAreApart) {
  std::byte* const first = take(1000);
  std::byte* const second = take(3 << 20);  // in a block of its own
  std::memset(first, 1, 1000);
  std::memset(second, 2, 3 << 20);
  EXPECT_EQ(first[999], std::byte{1});
  EXPECT_GE(memory_.taken_bytes(), 1000U + (3U << 20U));
}

TEST_F(StagingTest, FreedMemoryIsTakenAgain) {
  std::byte* const first = take(100);
  take(100);
  memory_.free_all();
  EXPECT_EQ(memory_.taken_bytes(), 0U);
  EXPECT_EQ(take(200), first);
}

TEST_F(StagingTest, OfSeveralBlocksTheLargestIsKept) {
  take(100);
  std::byte* const large = take(8 << 20);
  memory_.free_all();
  EXPECT_EQ(take(100), large);
}

}  // namespace
}  // namespace lookalike
