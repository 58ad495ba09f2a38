#include "tools/evaluate/synthetic/chart.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "tools/report/html.h"

namespace lookalike {
namespace {

// px of a chart; it is shown in whatever width there is.
constexpr double kWidth = 320;
constexpr double kHeight = 150;
constexpr double kLeft = 34;
constexpr double kBottom = 22;
constexpr double kTop = 8;

double level(double share) {
  return kTop + (1 - share) * (kHeight - kTop - kBottom);
}

// Where strength number i of n stands: evenly spread, as strengths are not in proportion.
double place(std::size_t i, std::size_t n) {
  const double step = (kWidth - kLeft) / static_cast<double>(n);
  return kLeft + (static_cast<double>(i) + 0.5) * step;
}

std::string grid() {
  std::string svg;
  for (const double share : {0.0, 0.5, 1.0}) {
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
        "<text class=\"level\" x=\"{}\" y=\"{:.1f}\">{:.1f}</text>",
        kLeft, kWidth, level(share), level(share), kLeft - 6, level(share) + 4, share);
  }
  return svg;
}

std::string line(std::span<const SuiteRow> rows, double SuiteRow::*share, std::string_view style) {
  std::string points;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    points += fmt::format("{:.1f},{:.1f} ", place(i, rows.size()), level(rows[i].*share));
  }
  return fmt::format("<polyline class=\"{}\" points=\"{}\"/>", style, points);
}

// Each dot says what it stands for when it is pointed at.
std::string dots(std::span<const SuiteRow> rows) {
  std::string svg;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const SuiteRow& row = rows[i];
    svg += fmt::format(
        "<circle class=\"first\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"><title>{:g} {}: {:.3f} found "
        "first, {:.3f} located</title></circle><text x=\"{:.1f}\" y=\"{}\">{:g}</text>",
        place(i, rows.size()), level(row.recall_at_1), row.strength, escape_html(row.unit),
        row.recall_at_1, row.located_at_75, place(i, rows.size()), kHeight - 4, row.strength);
  }
  return svg;
}

std::string chart(std::span<const SuiteRow> rows) {
  const std::string name = escape_html(rows.front().kind);
  return fmt::format(
      "<div><h3>{0} <span>{1}</span></h3><svg class=\"chart\" viewBox=\"0 0 {2} {3}\" role=\"img\" "
      "aria-label=\"Recall by strength: {0}\">{4}{5}{6}{7}</svg></div>\n",
      name, escape_html(rows.front().unit), kWidth, kHeight, grid(),
      line(rows, &SuiteRow::located_at_75, "place"), line(rows, &SuiteRow::recall_at_1, "first"),
      dots(rows));
}

}  // namespace

std::string charts(std::span<const SuiteRow> rows) {
  std::string html;
  while (!rows.empty()) {
    const auto end = std::find_if(rows.begin(), rows.end(), [&](const SuiteRow& row) {
      return row.kind != rows.front().kind;
    });
    const auto count = static_cast<std::size_t>(end - rows.begin());
    html += chart(rows.first(count));
    rows = rows.subspan(count);
  }
  return html;
}

}  // namespace lookalike
