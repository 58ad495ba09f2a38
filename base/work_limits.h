#pragma once

#include <atomic>
#include <chrono>

#include "base/error.h"

// Limits on the work for one request. They belong to a thread; parallel_for() passes them to the
// threads that it starts, and code at any depth reads those of its own thread. Without limits,
// nothing is overdue. Modules (base/module.h) see no limits.
namespace lookalike {

// Thrown by work whose time is over.
class Overdue : public Error {
 public:
  Overdue() : Error(ErrorKind::kDevice, "the time for this work is over") {}
};

// Thread-safe.
class WorkLimits {
 public:
  using Clock = std::chrono::steady_clock;

  explicit WorkLimits(Clock::time_point end) : end_(end.time_since_epoch().count()) {}

  Clock::time_point end() const { return Clock::time_point(Clock::duration(end_)); }
  // Brings the end forward; never puts it off.
  void shorten(Clock::time_point end) {
    const Clock::rep wanted = end.time_since_epoch().count();
    Clock::rep known = end_;
    while (wanted < known && !end_.compare_exchange_weak(known, wanted)) {
    }
  }

  // False if large images are left to another thread: LargeImageLock then throws LargeImage.
  bool allows_large_images() const { return allows_large_images_; }
  void allow_large_images() { allows_large_images_ = true; }

  // Returns the limits of this thread; nullptr if it has none.
  static const WorkLimits* current() { return of_this_thread; }

 private:
  friend class LimitedWork;
  static inline thread_local const WorkLimits* of_this_thread = nullptr;

  std::atomic<Clock::rep> end_;
  std::atomic<bool> allows_large_images_ = false;
};

// Makes limits, which must outlive it, those of this thread.
class LimitedWork {
 public:
  explicit LimitedWork(const WorkLimits* limits) : before_(WorkLimits::of_this_thread) {
    WorkLimits::of_this_thread = limits;
  }
  ~LimitedWork() { WorkLimits::of_this_thread = before_; }
  LimitedWork(const LimitedWork&) = delete;
  LimitedWork& operator=(const LimitedWork&) = delete;

 private:
  const WorkLimits* const before_;
};

// True if the time of this thread's work is over.
inline bool is_overdue() {
  const WorkLimits* const limits = WorkLimits::current();
  return limits != nullptr && WorkLimits::Clock::now() >= limits->end();
}

// Throws Overdue if the time of this thread's work is over.
inline void check_time() {
  if (is_overdue()) throw Overdue();
}

}  // namespace lookalike
