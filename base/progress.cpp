#include "base/progress.h"

#include <algorithm>
#include <cmath>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/progress_listener.h"
#include "base/terminal.h"

namespace lookalike {
namespace {

constexpr auto kBarInterval = std::chrono::milliseconds(100);
constexpr auto kIdleInterval = std::chrono::seconds(1);  // a bar that nothing updates
constexpr auto kLineInterval = std::chrono::seconds(10);
constexpr std::size_t kBarWidth = 28;  // cells
constexpr std::size_t kMinBarWidth = 8;
constexpr std::size_t kBarFrame = 3;  // "[" and "] "
constexpr std::size_t kNoTerminalWidth = 79;
constexpr const char* kClearLine = "\r\033[K";

std::string duration_text(double seconds) {
  const long whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace

Progress::Progress(std::string label, std::string unit, std::size_t total, Style style,
                   std::chrono::seconds delay, std::FILE* out)
    : label_(std::move(label)),
      unit_(std::move(unit)),
      total_(total),
      style_(style),
      delay_(delay),
      out_(out),
      start_(Clock::now()),
      last_drawn_(start_) {
  if (style_ != Style::kBar) return;
  drawer_ = std::jthread([this](const std::stop_token& stop) { draw_idle(stop); });
}

Progress::~Progress() {
  if (drawer_.joinable()) {
    drawer_.request_stop();
    drawer_.join();
  }
  const Clock::time_point now = Clock::now();
  if (style_ == Style::kQuiet || now - start_ < delay_) return;
  draw(now, true);
  if (style_ == Style::kBar) std::fputc('\n', out_);
}

void Progress::draw_idle(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const Clock::time_point next = std::max(last_drawn_ + kIdleInterval, start_ + delay_);
    if (Clock::now() >= next) {
      draw(Clock::now(), false);
    } else {
      idle_.wait_until(lock, stop, next, [] { return false; });
    }
  }
}

void Progress::update(std::size_t done, const std::string& detail) {
  ProgressListener::tell(label_, done, total_);
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (first_done_ == 0) {
    first_done_ = done;
    first_done_at_ = now;
  }
  done_ = done;
  detail_ = detail;
  if (style_ == Style::kQuiet || now - start_ < delay_) return;
  const Clock::duration since = now - last_drawn_;
  if (style_ == Style::kBar) {
    if (since >= kBarInterval) draw(now, false);
  } else if (since >= kLineInterval && (done_ < total_ || total_ == 0)) {
    draw(now, false);  // the destructor draws the last line
  }
}

void Progress::finish() {
  const std::lock_guard lock(mutex_);
  total_ = done_;
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  if (style_ != Style::kBar || last_drawn_ == start_) return;
  std::fputs(kClearLine, out_);
  std::fflush(out_);
  last_drawn_ = Clock::now();  // not again before the caller has written its line
}

std::string Progress::line(Clock::time_point now, bool is_last) const {
  const auto seconds = [&](Clock::time_point since) {
    return std::chrono::duration<double>(now - since).count();
  };
  const double elapsed_s = seconds(start_);
  const auto per_second = [](std::size_t items, double time_s) {
    return time_s > 0 ? static_cast<double>(items) / time_s : 0;
  };
  const double rate = per_second(done_, elapsed_s);
  const double later_rate = per_second(done_ - first_done_, seconds(first_done_at_));
  std::vector<std::string> parts;
  if (!unit_.empty()) {
    parts.push_back(total_ > 0 ? fmt::format("{}/{} {}", done_, total_, unit_)
                               : fmt::format("{} {}", done_, unit_));
    if (rate > 0) parts.push_back(fmt::format("{:.1f}/s", rate));
  }
  if (is_last || done_ >= total_ || later_rate <= 0) {
    parts.push_back(duration_text(elapsed_s));
  } else {
    parts.push_back(duration_text(static_cast<double>(total_ - done_) / later_rate) + " left");
  }
  const std::string text = fmt::format("{}", fmt::join(parts, ", "));
  const std::string start = label_ + ": ";
  const std::string detail = detail_.empty() ? "" : ", " + detail_;
  if (style_ != Style::kBar) return start + text + detail;

  const std::size_t columns = terminal_columns(out_);
  const std::size_t width = columns > 0 ? columns - 1 : kNoTerminalWidth;
  const std::size_t written = start.size() + text.size();
  std::size_t room = width - std::min(width, written);
  const std::size_t least_bar = total_ > 0 ? kMinBarWidth + kBarFrame : 0;
  const bool has_detail = least_bar + detail.size() <= room;
  if (has_detail) room -= detail.size();
  std::string bar;
  if (total_ > 0 && room >= least_bar) {
    const std::size_t cells = std::min(room - kBarFrame, kBarWidth);
    const std::size_t full = std::min(cells, cells * done_ / total_);
    bar = '[' + std::string(full, '#') + std::string(cells - full, '.') + "] ";
  }
  return (start + bar + text + (has_detail ? detail : "")).substr(0, width);
}

void Progress::draw(Clock::time_point now, bool is_last) {
  last_drawn_ = now;
  const std::string text = line(now, is_last);
  if (style_ == Style::kBar) {
    std::fprintf(out_, "%s%s", kClearLine, text.c_str());
  } else {
    std::fprintf(out_, "%s\n", text.c_str());
  }
  std::fflush(out_);
}

Progress::Style Progress::style_for_stderr() {
  return isatty(STDERR_FILENO) == 1 ? Style::kBar : Style::kLines;
}

}  // namespace lookalike
