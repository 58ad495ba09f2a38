#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace lookalike {

// Values that threads use in turn: each is lent to one thread at a time.
template <typename T>
class Pool {
 public:
  // make() makes another value when none is free; several threads may call it at the same time, and
  // its exceptions reach them. Without it, threads wait for a value to return.
  explicit Pool(std::function<std::unique_ptr<T>()> make = nullptr) : make_(std::move(make)) {}

  void add(std::unique_ptr<T> value) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(value));
    returned_.notify_one();
  }

  // Holds a value until it is destroyed. A thread must not wait for a second value of a pool. If an
  // exception ends the lease, a value that make() can replace is dropped: its state is unknown.
  class Lease {
   public:
    explicit Lease(Pool& pool) : pool_(pool), value_(pool.take()) {}
    ~Lease() {
      const bool is_failed = std::uncaught_exceptions() > exceptions_;
      if (!is_failed || !pool_.make_) pool_.add(std::move(value_));
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    T& operator*() const { return *value_; }
    T* operator->() const { return value_.get(); }

   private:
    Pool& pool_;
    std::unique_ptr<T> value_;
    const int exceptions_ = std::uncaught_exceptions();
  };

 private:
  std::unique_ptr<T> take() {
    std::unique_lock lock(mutex_);
    if (free_.empty() && make_) {
      lock.unlock();
      return make_();
    }
    returned_.wait(lock, [&] { return !free_.empty(); });
    std::unique_ptr<T> taken = std::move(free_.back());
    free_.pop_back();
    return taken;
  }

  const std::function<std::unique_ptr<T>()> make_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<T>> free_;  // guarded by the mutex
};

}  // namespace lookalike
