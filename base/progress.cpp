#include "base/progress.h"

#include <algorithm>
#include <cmath>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace lookalike {
namespace {

constexpr auto kBarInterval = std::chrono::milliseconds(100);
constexpr auto kLineInterval = std::chrono::seconds(10);
constexpr std::size_t kBarWidth = 28;

std::string duration_text(double seconds) {
  const long whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace

Progress::Progress(std::string label, std::string unit, std::size_t total, Style style,
                   std::FILE* out)
    : label_(std::move(label)),
      unit_(std::move(unit)),
      total_(total),
      style_(style),
      out_(out),
      start_(Clock::now()),
      last_drawn_(start_) {}

Progress::~Progress() {
  if (style_ == Style::kQuiet) return;
  draw(Clock::now());
  if (style_ == Style::kBar) std::fputc('\n', out_);
}

void Progress::update(std::size_t done, const std::string& detail) {
  done_ = done;
  detail_ = detail;
  if (style_ == Style::kQuiet) return;
  const Clock::time_point now = Clock::now();
  const Clock::duration since = now - last_drawn_;
  if (style_ == Style::kBar ? since >= kBarInterval : since >= kLineInterval) draw(now);
}

std::string Progress::line(Clock::time_point now) const {
  const double elapsed_s = std::chrono::duration<double>(now - start_).count();
  const double rate = elapsed_s > 0 ? static_cast<double>(done_) / elapsed_s : 0;
  std::string text = label_ + ": ";
  if (style_ == Style::kBar && total_ > 0) {
    const std::size_t full = std::min(kBarWidth, kBarWidth * done_ / total_);
    text += '[' + std::string(full, '#') + std::string(kBarWidth - full, '.') + "] ";
  }
  text += total_ > 0 ? fmt::format("{}/{} {}", done_, total_, unit_)
                     : fmt::format("{} {}", done_, unit_);
  if (rate > 0) text += fmt::format(", {:.1f}/s", rate);
  if (done_ < total_ && rate > 0) {
    text += ", " + duration_text(static_cast<double>(total_ - done_) / rate) + " left";
  } else if (done_ >= total_) {
    text += ", " + duration_text(elapsed_s);
  }
  if (!detail_.empty()) text += ", " + detail_;
  return text;
}

void Progress::draw(Clock::time_point now) {
  last_drawn_ = now;
  const std::string text = line(now);
  if (style_ == Style::kBar) {
    std::fprintf(out_, "\r\033[K%s", text.c_str());
  } else {
    std::fprintf(out_, "%s\n", text.c_str());
  }
  std::fflush(out_);
}

Progress::Style Progress::style_for_stderr() {
  return isatty(STDERR_FILENO) == 1 ? Style::kBar : Style::kLines;
}

}  // namespace lookalike
