#include "base/bounded_queue.h"

#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace lookalike {
namespace {

TEST(BoundedQueue, KeepsOrderAcrossThreads) {
  BoundedQueue<int> queue(2);
  std::thread producer([&] {
    for (int i = 0; i < 1000; ++i) queue.push(i);
    queue.close();
  });
  std::vector<int> got;
  while (const auto item = queue.pop()) got.push_back(*item);
  producer.join();
  std::vector<int> expected(1000);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(got, expected);
}

TEST(BoundedQueue, ClosedQueueGivesWhatItHolds) {
  BoundedQueue<int> queue(2);
  queue.push(1);
  queue.close();
  EXPECT_FALSE(queue.push(2));
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.pop(), std::nullopt);
}

TEST(BoundedQueue, AbandonWakesAWaitingProducer) {
  BoundedQueue<int> queue(1);
  queue.push(1);
  bool taken = true;
  std::thread producer([&] { taken = queue.push(2); });
  queue.abandon();
  producer.join();
  EXPECT_FALSE(taken);
  EXPECT_EQ(queue.pop(), std::nullopt);
}

}  // namespace
}  // namespace lookalike
