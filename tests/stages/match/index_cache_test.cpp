#include "stages/match/index_cache.h"

#include <string>

#include <gtest/gtest.h>

namespace lookalike {
namespace {

class CacheTest : public ::testing::Test {
 protected:
  std::string get(int key) {
    return *cache_.get(
        key,
        [&] {
          ++made_;
          return std::to_string(key);
        },
        [](const std::string&) { return std::size_t{100}; });
  }

  Cache<int, std::string> cache_{3 * (100 + sizeof(std::string))};
  int made_ = 0;
};

TEST_F(CacheTest, ValueIsMadeOnce) {
  EXPECT_EQ(get(1), "1");
  EXPECT_EQ(get(1), "1");
  EXPECT_EQ(get(2), "2");
  EXPECT_EQ(made_, 2);
}

TEST_F(CacheTest, OneTooManyEvictsAnotherAlone) {
  for (const int key : {1, 2, 3, 4}) get(key);
  EXPECT_EQ(made_, 4);
  get(4);
  EXPECT_EQ(made_, 4);
  for (int round = 0; round < 3; ++round) {
    for (const int key : {1, 2, 3, 4}) get(key);
  }
  EXPECT_LT(made_, 4 + 3 * 4);  // in order, the oldest would be missing each time
}

TEST_F(CacheTest, ValueInUseOutlivesItsEviction) {
  const auto first = cache_.get(
      1, [] { return std::string("first"); }, [](const std::string&) { return std::size_t{100}; });
  for (int key = 2; key < 100; ++key) get(key);
  EXPECT_EQ(*first, "first");
}

TEST(Cache, ValueLargerThanTheLimitIsNotCached) {
  Cache<int, int> cache(0);
  int made = 0;
  for (int i = 0; i < 2; ++i) {
    const auto value = cache.get(
        7, [&] { return ++made; }, [](int) { return std::size_t{1}; });
    EXPECT_EQ(*value, i + 1);
  }
}

}  // namespace
}  // namespace lookalike
