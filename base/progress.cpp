#include "base/progress.h"

#include <algorithm>
#include <cmath>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/terminal.h"

namespace lookalike {
namespace {

constexpr auto kBarInterval = std::chrono::milliseconds(100);
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
      last_drawn_(start_) {}

Progress::~Progress() {
  const Clock::time_point now = Clock::now();
  if (style_ == Style::kQuiet || now - start_ < delay_) return;
  draw(now, true);
  if (style_ == Style::kBar) std::fputc('\n', out_);
}

void Progress::update(std::size_t done, const std::string& detail) {
  done_ = done;
  detail_ = detail;
  const Clock::time_point now = Clock::now();
  if (style_ == Style::kQuiet || now - start_ < delay_) return;
  const Clock::duration since = now - last_drawn_;
  if (style_ == Style::kBar) {
    if (since >= kBarInterval) draw(now, false);
  } else if (since >= kLineInterval && (done_ < total_ || total_ == 0)) {
    draw(now, false);  // the destructor draws the last line
  }
}

void Progress::clear() {
  if (style_ != Style::kBar || last_drawn_ == start_) return;
  std::fputs(kClearLine, out_);
  std::fflush(out_);
}

std::string Progress::line(Clock::time_point now, bool is_last) const {
  const double elapsed_s = std::chrono::duration<double>(now - start_).count();
  const double rate = elapsed_s > 0 ? static_cast<double>(done_) / elapsed_s : 0;
  std::string text = total_ > 0 ? fmt::format("{}/{} {}", done_, total_, unit_)
                                : fmt::format("{} {}", done_, unit_);
  if (rate > 0) text += fmt::format(", {:.1f}/s", rate);
  if (is_last || done_ >= total_) {
    text += ", " + duration_text(elapsed_s);
  } else if (rate > 0) {
    text += ", " + duration_text(static_cast<double>(total_ - done_) / rate) + " left";
  }
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
