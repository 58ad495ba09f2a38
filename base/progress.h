#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>

namespace lookalike {

// Progress of one long step on stderr: a bar with rate and time left on a terminal, a plain line
// every ten seconds otherwise, nothing when quiet. A bar fits the width of the terminal. Used from
// one thread.
class Progress {
 public:
  enum class Style { kBar, kLines, kQuiet };

  // label names the step, unit the counted items ("images"). total 0: unknown. A step that ends
  // before `delay` has passed shows nothing.
  Progress(std::string label, std::string unit, std::size_t total, Style style,
           std::chrono::seconds delay = {}, std::FILE* out = stderr);
  // Draws the last state, with the time that the step took.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Sets the number of items done; detail is appended to the line ("objective 0.213").
  void update(std::size_t done, const std::string& detail = {});
  // For a step that needed fewer items than expected: those done are all.
  void finish() { total_ = done_; }
  // Takes the bar off the terminal, so that other lines can be written. The next update draws it.
  void clear();

  // A bar where stderr is a terminal, lines otherwise.
  static Style style_for_stderr();

 private:
  using Clock = std::chrono::steady_clock;
  std::string line(Clock::time_point now, bool is_last) const;
  void draw(Clock::time_point now, bool is_last);

  const std::string label_;
  const std::string unit_;
  std::size_t total_;
  const Style style_;
  const std::chrono::seconds delay_;
  std::FILE* const out_;
  const Clock::time_point start_;
  Clock::time_point last_drawn_;
  std::size_t done_ = 0;
  std::string detail_;
};

}  // namespace lookalike
