#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

namespace lookalike {

// Hears of each update of a Progress on its thread, whatever its style, for as long as it exists.
// The latest listener of a thread hears; the one before it hears again afterwards.
class ProgressListener {
 public:
  // step: "scan", "index (step 3 of 4)", ...; total: 0 if unknown. Must not throw.
  using Hear = std::function<void(const std::string& step, std::size_t done, std::size_t total)>;

  explicit ProgressListener(Hear hear) : hear_(std::move(hear)), before_(of_this_thread) {
    of_this_thread = this;
  }
  ~ProgressListener() { of_this_thread = before_; }
  ProgressListener(const ProgressListener&) = delete;
  ProgressListener& operator=(const ProgressListener&) = delete;

  // Passes an update to the listener of this thread, if there is one.
  static void tell(const std::string& step, std::size_t done, std::size_t total) {
    if (of_this_thread != nullptr) of_this_thread->hear_(step, done, total);
  }

 private:
  static inline thread_local const ProgressListener* of_this_thread = nullptr;

  const Hear hear_;
  const ProgressListener* const before_;
};

}  // namespace lookalike
