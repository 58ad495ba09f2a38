#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace lookalike {

// An interval in which a thread was busy with a stage.
struct StageSpan {
  std::string stage;
  std::size_t thread = 0;  // from 0, in the order of first spans
  double start_s = 0;      // since the StageTimes was created
  double end_s = 0;
};

// Busy seconds of each stage, summed over threads.
class StageTimes {
 public:
  // with_spans: keep every interval, for a timeline.
  explicit StageTimes(bool with_spans = false) : with_spans_(with_spans) {}

  // Runs the work and adds its time to the stage, also when it throws. The time of nested stages on
  // the same thread is added to those only.
  template <typename Work>
  auto timed(const std::string& stage, Work work) {
    const Scope scope(*this, stage);
    return work();
  }

  std::map<std::string, double> seconds() const {
    const std::lock_guard lock(mutex_);
    return seconds_;
  }

  // Returns the intervals in the order of their ends; none unless they are kept.
  std::vector<StageSpan> spans() const {
    const std::lock_guard lock(mutex_);
    return spans_;
  }

 private:
  using Clock = std::chrono::steady_clock;

  struct Scope {
    Scope(StageTimes& owner, std::string name)
        : times(owner), stage(std::move(name)), start(Clock::now()) {
      innermost = this;
    }
    ~Scope() {
      const Clock::time_point end = Clock::now();
      const double elapsed = std::chrono::duration<double>(end - start).count();
      innermost = outer;
      if (outer != nullptr) outer->nested += elapsed;
      times.add(stage, start, end, elapsed - nested);
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    StageTimes& times;
    const std::string stage;
    const Clock::time_point start;
    Scope* const outer = innermost;
    double nested = 0;  // seconds in inner scopes
    static thread_local inline Scope* innermost = nullptr;
  };

  void add(const std::string& stage, Clock::time_point start, Clock::time_point end,
           double busy_s) {
    const std::lock_guard lock(mutex_);
    seconds_[stage] += busy_s;
    if (!with_spans_) return;
    const std::size_t thread =
        threads_.try_emplace(std::this_thread::get_id(), threads_.size()).first->second;
    const auto since_made = [&](Clock::time_point at) {
      return std::chrono::duration<double>(at - made_).count();
    };
    spans_.push_back({stage, thread, since_made(start), since_made(end)});
  }

  const bool with_spans_;
  const Clock::time_point made_ = Clock::now();
  mutable std::mutex mutex_;
  std::map<std::string, double> seconds_;
  std::map<std::thread::id, std::size_t> threads_;
  std::vector<StageSpan> spans_;
};

}  // namespace lookalike
