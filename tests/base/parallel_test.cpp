#include "base/parallel.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace lookalike {
namespace {

TEST(ParallelFor, EveryItemIsVisitedOnceWhateverTheThreads) {
  for (const std::size_t threads : {1U, 2U, 7U}) {
    for (const std::size_t total : {0U, 1U, 5U, 1001U}) {
      std::vector<std::atomic<int>> visits(total);
      parallel_for(total, threads, [&](std::size_t i) { ++visits[i]; });
      for (const std::atomic<int>& count : visits) EXPECT_EQ(count, 1);
    }
  }
}

TEST(ParallelFor, OneThreadIsTheCallers) {
  parallel_for(3, 1, [caller = std::this_thread::get_id()](std::size_t) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
}

TEST(ParallelFor, NoMoreIsBegunOnceTheWorkHasThrown) {
  std::atomic<int> begun = 0;
  const auto fail = [&](std::size_t) {
    ++begun;
    throw std::runtime_error("any");
  };
  EXPECT_THROW(parallel_for(1000, 2, fail), std::runtime_error);
  EXPECT_LE(begun, 2);
}

TEST(ParallelRanges, EveryItemIsVisitedOnce) {
  for (const std::size_t total : {0U, 1U, 2U, 3U, 1001U}) {
    std::vector<std::atomic<int>> visits(total);
    parallel_ranges(total, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) ++visits[i];
    });
    for (const std::atomic<int>& count : visits) EXPECT_EQ(count, 1);
  }
}

TEST(ParallelRanges, WhatTheWorkThrowsIsThrownOn) {
  const auto fail_on_last = [](std::size_t, std::size_t last) {
    if (last == 100) throw std::runtime_error("last");
  };
  EXPECT_THROW(parallel_ranges(100, fail_on_last), std::runtime_error);
}

TEST(OrderedParallel, ResultsComeInOrderWhateverTheThreads) {
  for (const std::size_t threads : {1U, 2U, 7U}) {
    OrderedParallel<std::size_t> squares(500, threads, 8, [](std::size_t i) {
      if (i % 3 == 0) std::this_thread::yield();
      return i * i;
    });
    for (std::size_t i = 0; i < 500; ++i) ASSERT_EQ(squares.next(), i * i);
    EXPECT_FALSE(squares.next().has_value());
  }
}

TEST(OrderedParallel, JobsThatAreDoneBeforeAnyoneAsksAreAllHandedOver) {
  for (int run = 0; run < 200; ++run) {
    OrderedParallel<std::size_t> quick(1, 1, 4, [](std::size_t i) { return i; });
    EXPECT_EQ(quick.next(), 0U);
    EXPECT_FALSE(quick.next().has_value());
  }
}

TEST(OrderedParallel, NothingToDoEndsAtOnce) {
  OrderedParallel<int> nothing(0, 2, 4, [](std::size_t) { return 1; });
  EXPECT_FALSE(nothing.next().has_value());
}

TEST(OrderedParallel, NeverRunsAheadOfTheWindow) {
  std::atomic<std::size_t> started = 0;
  OrderedParallel<int> work(100, 4, 5, [&](std::size_t) {
    ++started;
    return 0;
  });
  work.next();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_LE(started, 6U);
}

TEST(OrderedParallel, WhatTheWorkThrowsIsThrownInItsTurnAndDisturbsNoOther) {
  OrderedParallel<std::size_t> work(100, 2, 4, [](std::size_t i) {
    if (i % 10 == 0) throw std::runtime_error("ten");
    return i;
  });
  for (std::size_t i = 0; i < 100; ++i) {
    if (i % 10 == 0) {
      EXPECT_THROW(work.next(), std::runtime_error);
    } else {
      EXPECT_EQ(work.next(), i);
    }
  }
  EXPECT_FALSE(work.next().has_value());
}

TEST(OrderedParallel, JobsAreTakenOneAtATimeAndAnsweredInTheirOrder) {
  std::atomic<bool> is_taking = false;
  int taken = 0;
  OrderedParallel<std::string, int> work(
      [&]() -> std::optional<int> {
        EXPECT_FALSE(is_taking.exchange(true));
        std::this_thread::yield();
        is_taking = false;
        return taken < 50 ? std::optional(taken++) : std::nullopt;
      },
      3, 4,
      [](int job, std::size_t thread) {
        EXPECT_LT(thread, 3U);
        if (job % 3 == 0) std::this_thread::yield();
        return std::to_string(job);
      });
  for (int i = 0; i < 50; ++i) ASSERT_EQ(work.next(), std::to_string(i));
  EXPECT_FALSE(work.next().has_value());
}

TEST(OrderedParallel, WhatTakingAJobThrowsIsThrownOn) {
  OrderedParallel<int, int> work([]() -> std::optional<int> { throw std::runtime_error("none"); },
                                 2, 4, [](int job, std::size_t) { return job; });
  EXPECT_THROW(work.next(), std::runtime_error);
}

TEST(OrderedParallel, StoppedEarlyItGivesNothingMore) {
  OrderedParallel<int> work(1000000, 2, 4, [](std::size_t) { return 0; });
  EXPECT_TRUE(work.next().has_value());
  work.stop();
  int left = 0;
  while (work.next()) ++left;
  EXPECT_LE(left, 4);
}

}  // namespace
}  // namespace lookalike
