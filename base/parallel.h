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

// Loops on several threads whose results do not depend on the number of threads.
namespace lookalike {

inline std::size_t core_count() {
  return std::max(1U, std::thread::hardware_concurrency());
}

// Runs work(i) for each i in [0, total) on at most `threads` threads, of which the caller is one.
// Once work has thrown, no more of it is begun; rethrows what it threw first when all that was
// begun has ended. Work should write only what belongs to its i.
template <typename Work>
void parallel_for(std::size_t total, std::size_t threads, const Work& work) {
  std::atomic<std::size_t> taken = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run = [&]() noexcept {
    for (std::size_t i = taken++; i < total; i = taken++) {
      try {
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

// Cuts [0, total) into one range per core and runs work(first, last) on all ranges at the same
// time, as parallel_for() does.
template <typename Work>
void parallel_ranges(std::size_t total, const Work& work) {
  const std::size_t ranges = std::min(total, core_count());
  parallel_for(ranges, ranges,
               [&](std::size_t i) { work(total * i / ranges, total * (i + 1) / ranges); });
}

// Runs work(i) for i in [0, total) on `threads` threads and returns the results in the order of i.
// At most `window` results are finished or in work at any time, so that memory stays flat. What
// the work throws for one i does not disturb the others.
template <typename Result>
class OrderedParallel {
 public:
  OrderedParallel(std::size_t total, std::size_t threads, std::size_t window,
                  std::function<Result(std::size_t)> work)
      : total_(total), work_(std::move(work)), slots_(window) {
    for (std::size_t i = 0; i < std::min(total, threads); ++i) {
      threads_.emplace_back([this] { run(); });
    }
  }
  ~OrderedParallel() { stop(); }
  OrderedParallel(const OrderedParallel&) = delete;
  OrderedParallel& operator=(const OrderedParallel&) = delete;

  // The next result; none at the end or after stop(). Rethrows in its turn what the work threw.
  std::optional<Result> next() {
    std::unique_lock lock(mutex_);
    if (handed_over_ == total_) return std::nullopt;
    Slot& slot = slots_[handed_over_ % slots_.size()];
    ready_.wait(lock, [&] { return slot.result || slot.failure || stopped_; });
    if (!slot.result && !slot.failure) return std::nullopt;
    Slot done = std::exchange(slot, {});
    ++handed_over_;
    room_.notify_one();
    if (done.failure) std::rethrow_exception(done.failure);
    return std::move(done.result);
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
  struct Slot {
    std::optional<Result> result{};
    std::exception_ptr failure{};
  };

  // The next index to work on; none when all are taken.
  std::optional<std::size_t> take() {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] {
      return stopped_ || taken_ == total_ || taken_ < handed_over_ + slots_.size();
    });
    if (stopped_ || taken_ == total_) return std::nullopt;
    return taken_++;
  }

  void run() noexcept {
    while (const std::optional<std::size_t> index = take()) {
      Slot done;
      try {
        done.result = work_(*index);
      } catch (...) {
        done.failure = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      slots_[*index % slots_.size()] = std::move(done);
      ready_.notify_one();
    }
  }

  const std::size_t total_;
  const std::function<Result(std::size_t)> work_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::condition_variable ready_;
  std::vector<Slot> slots_;
  std::size_t taken_ = 0;
  std::size_t handed_over_ = 0;
  bool stopped_ = false;
  std::vector<std::jthread> threads_;  // last: they use everything above
};

}  // namespace lookalike
