#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

// Loops on several threads whose results do not depend on the number of threads.
namespace lookalike {

// Cuts [0, total) into one range per core and runs work(first, last) on all ranges at the same
// time. Rethrows an exception of the work once all ranges have ended. Work should write only what
// belongs to its own range.
template <typename Work>
void parallel_ranges(std::size_t total, Work work) {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t ranges = std::min(total, cores);
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run = [&](std::size_t i) noexcept {
    try {
      work(total * i / ranges, total * (i + 1) / ranges);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < ranges; ++i) threads.emplace_back(run, i);
    if (ranges > 0) run(0);
  }
  if (failure) std::rethrow_exception(failure);
}

// Runs work(i) for i in [0, total) on `threads` threads and returns the results in the order of i.
// At most `window` results are finished or in work at any time, so that memory stays flat.
template <typename Result>
class OrderedParallel {
 public:
  OrderedParallel(std::size_t total, std::size_t threads, std::size_t window,
                  std::function<Result(std::size_t)> work)
      : total_(total), work_(std::move(work)), slots_(window) {
    for (std::size_t i = 0; i < threads; ++i) {
      threads_.emplace_back([this] { run(); });
    }
  }
  ~OrderedParallel() { stop(); }
  OrderedParallel(const OrderedParallel&) = delete;
  OrderedParallel& operator=(const OrderedParallel&) = delete;

  // The next result; none at the end or after stop(). Rethrows an exception of the work.
  std::optional<Result> next() {
    std::unique_lock lock(mutex_);
    if (handed_over_ == total_) return std::nullopt;
    std::optional<Result>& slot = slots_[handed_over_ % slots_.size()];
    ready_.wait(lock, [&] { return slot.has_value() || failure_ || stopped_; });
    if (failure_) std::rethrow_exception(failure_);
    if (!slot) return std::nullopt;
    std::optional<Result> result = std::exchange(slot, std::nullopt);
    ++handed_over_;
    room_.notify_one();
    return result;
  }

  // Starts no more work and waits for what is running. Callable from any one thread.
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
  // The next index to work on; none when all are taken.
  std::optional<std::size_t> take() {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] {
      return stopped_ || failure_ || taken_ == total_ || taken_ < handed_over_ + slots_.size();
    });
    if (stopped_ || failure_ || taken_ == total_) return std::nullopt;
    return taken_++;
  }

  void run() noexcept {
    while (const std::optional<std::size_t> index = take()) {
      try {
        Result result = work_(*index);
        const std::lock_guard lock(mutex_);
        slots_[*index % slots_.size()] = std::move(result);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
        room_.notify_all();
      }
      ready_.notify_one();
    }
  }

  const std::size_t total_;
  const std::function<Result(std::size_t)> work_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::condition_variable ready_;
  std::vector<std::optional<Result>> slots_;
  std::size_t taken_ = 0;
  std::size_t handed_over_ = 0;
  bool stopped_ = false;
  std::exception_ptr failure_;
  std::vector<std::jthread> threads_;  // last: they use everything above
};

}  // namespace lookalike
