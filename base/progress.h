#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>

namespace lookalike {

// Progress of one long step on stderr: a bar with rate and time left on a terminal, a plain line
// every ten seconds otherwise, nothing when quiet. Used from one thread.
class Progress {
 public:
  enum class Style { kBar, kLines, kQuiet };

  // label names the step, unit the counted items ("images"). total 0: unknown.
  Progress(std::string label, std::string unit, std::size_t total, Style style,
           std::FILE* out = stderr);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Sets the number of items done; detail is appended to the line ("objective 0.213").
  void update(std::size_t done, const std::string& detail = {});

  // A bar where stderr is a terminal, lines otherwise.
  static Style style_for_stderr();

 private:
  using Clock = std::chrono::steady_clock;
  std::string line(Clock::time_point now) const;
  void draw(Clock::time_point now);

  const std::string label_;
  const std::string unit_;
  const std::size_t total_;
  const Style style_;
  std::FILE* const out_;
  const Clock::time_point start_;
  Clock::time_point last_drawn_;
  std::size_t done_ = 0;
  std::string detail_;
};

}  // namespace lookalike
