#pragma once

#include <chrono>
#include <thread>

namespace lookalike {

// Waits until a condition holds, at most 60 s. True if it does.
template <typename Condition>
bool wait_until(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace lookalike
