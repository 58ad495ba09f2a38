#include "tools/report/timeline.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tools/report/page.h"

namespace lookalike {
namespace {

// Sizes in the drawing's own units.
constexpr double kTimelineWidth = 1100;
constexpr double kLeft = 90;  // width of the names
constexpr double kLine = 18;  // height of a thread
constexpr double kBar = 14;
constexpr double kSmallestGap = 0.5;  // between spans drawn apart
constexpr std::size_t kMarks = 10;    // approximate number on the axis

constexpr std::pair<std::string_view, std::string_view> kColours[] = {
    {"decode", "#0a84ff"},   {"extract", "#30a14e"}, {"variance", "#8bc34a"},
    {"assign", "#ff9f0a"},   {"store", "#bf5af2"},   {"cache", "#8e8e93"},
    {"codebook", "#ff453a"}, {"sample", "#a2845e"},  {"calibrate", "#64d2ff"}};
constexpr std::string_view kOtherSpanColour = "#667080";

std::string_view colour(std::string_view stage) {
  const auto* found = std::ranges::find(kColours, stage, [](auto& entry) { return entry.first; });
  return found == std::end(kColours) ? kOtherSpanColour : found->second;
}

// Returns the step of an axis of this length: 1, 2 or 5 times a power of ten.
double axis_step(double length) {
  const double least = length / kMarks;
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least) return factor * power;
  }
  return 10 * power;
}

// Joins the spans of a thread's stage that have small gaps. Ordered by thread; a stage within
// another follows it, to be drawn above.
std::vector<StageSpan> joined(std::span<const StageSpan> spans, double smallest_gap_s) {
  std::vector<StageSpan> sorted(spans.begin(), spans.end());
  std::ranges::sort(sorted, {}, [](const StageSpan& span) {
    return std::tuple(span.thread, span.start_s, -span.end_s);
  });
  std::vector<StageSpan> result;
  std::map<std::pair<std::size_t, std::string>, std::size_t> last;
  for (const StageSpan& span : sorted) {
    const auto known = last.find({span.thread, span.stage});
    if (known != last.end() && span.start_s - result[known->second].end_s < smallest_gap_s) {
      result[known->second].end_s = std::max(result[known->second].end_s, span.end_s);
      continue;
    }
    last[{span.thread, span.stage}] = result.size();
    result.push_back(span);
  }
  return result;
}

}  // namespace

std::string timeline(std::span<const StageSpan> spans) {
  if (spans.empty()) return "<p class=\"nothing\">Nothing was timed.</p>";
  double end_s = 0;
  std::size_t threads = 0;
  for (const StageSpan& span : spans) {
    end_s = std::max(end_s, span.end_s);
    threads = std::max(threads, span.thread + 1);
  }
  const double units_per_s = (kTimelineWidth - kLeft) / std::max(end_s, 1e-9);
  const double height = static_cast<double>(threads) * kLine;
  std::string svg =
      fmt::format("<svg class=\"chart\" viewBox=\"0 0 {} {}\">", kTimelineWidth, height + 24);
  const double step = axis_step(std::max(end_s, 1e-9));
  for (double at = 0; at <= end_s; at += step) {
    const double x = kLeft + at * units_per_s;
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" y1=\"0\" x2=\"{0:.1f}\" y2=\"{1}\"/>"
        "<text x=\"{0:.1f}\" y=\"{2}\">{3:g} s</text>",
        x, height, height + 16, at);
  }
  for (std::size_t i = 0; i < threads; ++i) {
    svg += fmt::format("<text class=\"level\" x=\"{}\" y=\"{}\">thread {}</text>", kLeft - 8,
                       static_cast<double>(i) * kLine + kBar - 2, i + 1);
  }
  std::set<std::string> shown;
  for (const StageSpan& span : joined(spans, kSmallestGap / units_per_s)) {
    shown.insert(span.stage);
    svg += fmt::format(
        "<rect x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\"><title>{} {:.3f} "
        "to "
        "{:.3f} s</title></rect>",
        kLeft + span.start_s * units_per_s, static_cast<double>(span.thread) * kLine,
        std::max(0.3, (span.end_s - span.start_s) * units_per_s), kBar, colour(span.stage),
        escape_html(span.stage), span.start_s, span.end_s);
  }
  std::string key = "<p class=\"stages\">";
  for (const std::string& stage : shown) {
    key += fmt::format("<span style=\"color:{}\">\u25a0</span> {} ", colour(stage),
                       escape_html(stage));
  }
  return key + "</p>" + svg + "</svg>";
}

}  // namespace lookalike
