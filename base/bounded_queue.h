#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace lookalike {

// A first-in, first-out queue between threads with at most `capacity` items: a fast producer waits
// for a slow consumer.
template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  // Waits for room. Returns false and drops the item if the queue is closed.
  bool push(T item) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return closed_ || items_.size() < capacity_; });
    if (closed_) return false;
    items_.push_back(std::move(item));
    filled_.notify_one();
    return true;
  }

  // Waits for an item. Returns nothing if the queue is closed and empty.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [&] { return closed_ || !items_.empty(); });
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    room_.notify_one();
    return item;
  }

  // Returns true if an item waits, or none will come any more.
  bool is_ready() {
    const std::lock_guard lock(mutex_);
    return closed_ || !items_.empty();
  }

  // Refuses further items; queued ones can still be popped.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    room_.notify_all();
    filled_.notify_all();
  }

  // Closes the queue and drops its items, after another thread failed.
  void abandon() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    items_.clear();
    room_.notify_all();
    filled_.notify_all();
  }

 private:
  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::condition_variable filled_;
  std::deque<T> items_;
  bool closed_ = false;
};

}  // namespace lookalike
