#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/work_limits.h"

// Parallel loops whose results do not depend on the number of threads.
namespace lookalike {

inline std::size_t core_count() {
  return std::max(1U, std::thread::hardware_concurrency());
}

// Runs work(i) for each i in [0, total) on at most `threads` threads, the caller included, all
// under the caller's WorkLimits. After work throws, no more of it starts; rethrows the first
// exception once all that started has ended. Throws Overdue in the same way when the caller's time
// is over.
template <typename Work>
void parallel_for(std::size_t total, std::size_t threads, const Work& work) {
  std::atomic<std::size_t> taken = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const WorkLimits* const limits = WorkLimits::current();
  const auto run = [&]() noexcept {
    const LimitedWork limited(limits);
    for (std::size_t i = taken++; i < total; i = taken++) {
      try {
        check_time();
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        taken = total;
        if (!failure) failure = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(total, threads); ++i) others.emplace_back(run);
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

// Splits [0, total) into one range per core and runs work(first, last) on each as parallel_for().
template <typename Work>
void parallel_ranges(std::size_t total, const Work& work) {
  const std::size_t ranges = std::min(total, core_count());
  parallel_for(ranges, ranges,
               [&](std::size_t i) { work(total * i / ranges, total * (i + 1) / ranges); });
}

// Runs jobs on `threads` threads and returns the results in the order of the jobs. At most `window`
// results are finished or in work at any time. An exception of one job does not affect the others.
template <typename Result, typename Job = std::size_t>
class OrderedParallel {
 public:
  // Calls next_job(), never concurrently, until it returns none or throws, and work(job, thread)
  // for each job; `thread` counts from 0.
  OrderedParallel(std::function<std::optional<Job>()> next_job, std::size_t threads,
                  std::size_t window, std::function<Result(Job, std::size_t)> work)
      : next_job_(std::move(next_job)), work_(std::move(work)), slots_(window) {
    for (std::size_t i = 0; i < threads; ++i) {
      threads_.emplace_back([this, i] { run(i); });
    }
  }
  // The jobs are the numbers in [0, total).
  OrderedParallel(std::size_t total, std::size_t threads, std::size_t window,
                  std::function<Result(std::size_t)> work)
      : OrderedParallel(
            [next = std::size_t{0}, total]() mutable {
              return next < total ? std::optional(next++) : std::nullopt;
            },
            std::min(total, threads), window,
            [work = std::move(work)](std::size_t i, std::size_t) { return work(i); }) {
    if (total == 0) exhausted_ = true;  // no thread will set it
  }
  ~OrderedParallel() { stop(); }
  OrderedParallel(const OrderedParallel&) = delete;
  OrderedParallel& operator=(const OrderedParallel&) = delete;

  // Returns the next result; nothing at the end or after stop(). Rethrows what work() threw for
  // this job, or next_job().
  std::optional<Result> next() {
    std::unique_lock lock(mutex_);
    Slot& slot = slots_[handed_over_ % slots_.size()];
    ready_.wait(lock, [&] {
      return slot.result || slot.failure || stopped_ || (exhausted_ && handed_over_ == taken_);
    });
    if (!slot.result && !slot.failure) return std::nullopt;
    Slot done = std::exchange(slot, {});
    ++handed_over_;
    room_.notify_one();
    if (done.failure) std::rethrow_exception(done.failure);
    return std::move(done.result);
  }

  // Starts no more work and waits for what is running. Only one thread may call it.
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
      room_.notify_all();
      ready_.notify_all();
    }
    threads_.clear();
  }

 private:
  struct Slot {
    std::optional<Result> result{};
    std::exception_ptr failure{};
  };

  // Takes the next job and its place in the order; none at the end. An exception of next_job()
  // becomes the last result.
  std::optional<std::pair<Job, std::size_t>> take() {
    const std::lock_guard turn(turn_);  // separate, since next_job() may be slow
    const auto is_over = [&] { return stopped_ || exhausted_; };
    {
      std::unique_lock lock(mutex_);
      room_.wait(lock, [&] { return is_over() || taken_ < handed_over_ + slots_.size(); });
      if (is_over()) return std::nullopt;
    }
    std::optional<Job> job;
    std::exception_ptr failure;
    try {
      job = next_job_();
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    if (job) return std::pair(*std::move(job), taken_++);
    if (failure) slots_[taken_++ % slots_.size()].failure = failure;
    exhausted_ = true;
    room_.notify_all();
    ready_.notify_all();
    return std::nullopt;
  }

  void run(std::size_t thread) noexcept {
    while (auto job = take()) {
      Slot done;
      try {
        done.result = work_(std::move(job->first), thread);
      } catch (...) {
        done.failure = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      slots_[job->second % slots_.size()] = std::move(done);
      ready_.notify_one();
    }
  }

  const std::function<std::optional<Job>()> next_job_;
  const std::function<Result(Job, std::size_t)> work_;
  std::mutex turn_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::condition_variable ready_;
  std::vector<Slot> slots_;
  std::size_t taken_ = 0;
  std::size_t handed_over_ = 0;
  bool exhausted_ = false;
  bool stopped_ = false;
  std::vector<std::jthread> threads_;  // last: they use the members above
};

}  // namespace lookalike
