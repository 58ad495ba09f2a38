#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace lookalike {

// Shows the progress of one long step on stderr: a bar with rate and time left, as wide as the
// terminal, which is drawn again every second even without an update; a line every ten seconds
// elsewhere; nothing when quiet. The first update, which may have waited for the device, does not
// count towards the time left. Not thread-safe.
class Progress {
 public:
  enum class Style { kBar, kLines, kQuiet };

  // The label names the step, the unit the counted items ("images"). A total of 0 is unknown;
  // without a unit, only the time is shown. A step shorter than `delay` shows nothing.
  Progress(std::string label, std::string unit, std::size_t total, Style style,
           std::chrono::seconds delay = {}, std::FILE* out = stderr);
  // Draws the last state, with the duration of the step.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Sets the number of items done; `detail` follows on the line ("objective 0.213").
  void update(std::size_t done, const std::string& detail = {});
  // Makes the number of items done the total, for a step that needed fewer than expected.
  void finish();
  // Removes the bar from the terminal, so that other lines can be written; update() draws it again.
  void clear();

  // kBar if stderr is a terminal, else kLines.
  static Style style_for_stderr();

 private:
  using Clock = std::chrono::steady_clock;
  std::string line(Clock::time_point now, bool is_last) const;
  void draw(Clock::time_point now, bool is_last);
  void draw_idle(const std::stop_token& stop);

  const std::string label_;
  const std::string unit_;
  std::size_t total_;
  const Style style_;
  const std::chrono::seconds delay_;
  std::FILE* const out_;
  const Clock::time_point start_;
  std::mutex mutex_;  // guards what follows
  Clock::time_point last_drawn_;
  std::size_t done_ = 0;
  std::string detail_;
  std::size_t first_done_ = 0;  // by the first update
  Clock::time_point first_done_at_;
  std::condition_variable_any idle_;
  std::jthread drawer_;  // draws when nothing is updated; last: it uses the members above
};

}  // namespace lookalike
