#pragma once

#include <condition_variable>
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
  // make() makes another value when none is free. Without it, threads wait for one to return.
  explicit Pool(std::function<std::unique_ptr<T>()> make = nullptr) : make_(std::move(make)) {}

  void add(std::unique_ptr<T> value) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(value));
    returned_.notify_one();
  }

  // Holds a value until it is destroyed. A thread must not wait for a second value of a pool.
  class Lease {
   public:
    explicit Lease(Pool& pool) : pool_(pool), value_(pool.take()) {}
    ~Lease() { pool_.add(std::move(value_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    T& operator*() const { return *value_; }
    T* operator->() const { return value_.get(); }

   private:
    Pool& pool_;
    std::unique_ptr<T> value_;
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
