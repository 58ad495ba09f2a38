#include "stages/match/vote/kept.h"

#include <string>

#include <gtest/gtest.h>

namespace lookalike {
namespace {

class KeptTest : public ::testing::Test {
 protected:
  std::string get(int key) {
    return *kept_.get(
        key,
        [&] {
          ++made_;
          return std::to_string(key);
        },
        [](const std::string&) { return std::size_t{100}; });
  }

  Kept<int, std::string> kept_{3 * (100 + sizeof(std::string))};
  int made_ = 0;
};

TEST_F(KeptTest, ValueIsMadeOnce) {
  EXPECT_EQ(get(1), "1");
  EXPECT_EQ(get(1), "1");
  EXPECT_EQ(get(2), "2");
  EXPECT_EQ(made_, 2);
}

TEST_F(KeptTest, OneTooManyForgetsTheOthers) {
  for (const int key : {1, 2, 3, 4}) get(key);
  EXPECT_EQ(made_, 4);
  get(4);
  EXPECT_EQ(made_, 4);
  get(1);
  EXPECT_EQ(made_, 5);
}

TEST_F(KeptTest, WhatIsHandedOutOutlivesForgetting) {
  const auto first = kept_.get(
      1, [] { return std::string("first"); }, [](const std::string&) { return std::size_t{100}; });
  for (const int key : {2, 3, 4}) get(key);
  EXPECT_EQ(*first, "first");
}

TEST(Kept, ValueLargerThanTheLimitIsNotKept) {
  Kept<int, int> kept(0);
  int made = 0;
  for (int i = 0; i < 2; ++i) {
    const auto value = kept.get(
        7, [&] { return ++made; }, [](int) { return std::size_t{1}; });
    EXPECT_EQ(*value, i + 1);
  }
}

}  // namespace
}  // namespace lookalike
