#include "base/pool.h"

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace lookalike {
namespace {

TEST(Pool, ReturnedValuesAreLentAgainBeforeOthersAreMade) {
  int made = 0;
  Pool<int> pool([&] { return std::make_unique<int>(++made); });
  for (int round = 0; round < 3; ++round) {
    const Pool<int>::Lease one(pool);
    const Pool<int>::Lease other(pool);
    EXPECT_NE(*one, *other);
  }
  EXPECT_EQ(made, 2);
}

TEST(Pool, AnExceptionDropsOnlyAValueThatCanBeMadeAgain) {
  int made = 0;
  Pool<int> made_on_demand([&] { return std::make_unique<int>(++made); });
  Pool<int> fixed;
  fixed.add(std::make_unique<int>(7));
  for (Pool<int>* const pool : {&made_on_demand, &fixed}) {
    const auto fail = [pool] {
      const Pool<int>::Lease lease(*pool);
      throw std::runtime_error("failed");
    };
    EXPECT_THROW(fail(), std::runtime_error);
  }
  EXPECT_EQ(*Pool<int>::Lease(made_on_demand), 2);
  EXPECT_EQ(*Pool<int>::Lease(fixed), 7);
}

TEST(Pool, ThreadsWaitForTheOnlyValue) {
  Pool<int> pool;
  pool.add(std::make_unique<int>(0));
  std::atomic<int> users = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) {
          const Pool<int>::Lease lease(pool);
          EXPECT_EQ(++users, 1);
          ++*lease;
          --users;
        }
      });
    }
  }
  EXPECT_EQ(*Pool<int>::Lease(pool), 4000);
}

}  // namespace
}  // namespace lookalike
