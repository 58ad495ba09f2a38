#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

namespace lookalike {

// Seconds that each stage was busy, summed over threads.
class StageTimes {
 public:
  // Runs the work and counts its time under the stage, also when it throws.
  template <typename Work>
  auto timed(const std::string& stage, Work work) {
    const Scope scope(*this, stage);
    return work();
  }

  std::map<std::string, double> seconds() const {
    const std::lock_guard lock(mutex_);
    return seconds_;
  }

 private:
  using Clock = std::chrono::steady_clock;

  struct Scope {
    Scope(StageTimes& owner, std::string name)
        : times(owner), stage(std::move(name)), start(Clock::now()) {}
    ~Scope() {
      const double elapsed = std::chrono::duration<double>(Clock::now() - start).count();
      const std::lock_guard lock(times.mutex_);
      times.seconds_[stage] += elapsed;
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    StageTimes& times;
    const std::string stage;
    const Clock::time_point start;
  };

  mutable std::mutex mutex_;
  std::map<std::string, double> seconds_;
};

}  // namespace lookalike
