#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace lookalike {

// Cuts [0, total) into one range a core and runs work(first, last) on each at the same time.
// Throws what any of them has thrown, once all have ended. Work that writes only what belongs to
// its own items gives a result that does not depend on the number of cores.
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

}  // namespace lookalike
