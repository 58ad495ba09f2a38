#include "base/parallel_ranges.h"

#include <atomic>
#include <stdexcept>

#include <gtest/gtest.h>

namespace lookalike {
namespace {

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

}  // namespace
}  // namespace lookalike
