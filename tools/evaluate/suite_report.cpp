#include "tools/evaluate/suite_report.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"

namespace lookalike {
namespace {

// Sizes of a chart in px, before it is scaled to the available width.
constexpr double kChartWidth = 320;
constexpr double kHeight = 150;
constexpr double kLeft = 34;
constexpr double kBottom = 22;
constexpr double kTop = 8;

// Returns the y of a share.
double level(double share) {
  return kTop + (1 - share) * (kHeight - kTop - kBottom);
}

// Returns the x of strength i of n; strengths are evenly spaced whatever their values.
double place(std::size_t i, std::size_t n) {
  const double step = (kChartWidth - kLeft) / static_cast<double>(n);
  return kLeft + (static_cast<double>(i) + 0.5) * step;
}

std::string grid() {
  std::string svg;
  for (const double share : {0.0, 0.5, 1.0}) {
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
        "<text class=\"level\" x=\"{}\" y=\"{:.1f}\">{:.1f}</text>",
        kLeft, kChartWidth, level(share), level(share), kLeft - 6, level(share) + 4, share);
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

// Draws a dot per row, with its numbers as a tooltip.
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
      "<div><h2>{0} <span>{1}</span></h2><svg class=\"chart\" viewBox=\"0 0 {2} {3}\" role=\"img\" "
      "aria-label=\"Recall by strength: {0}\">{4}{5}{6}{7}</svg></div>\n",
      name, escape_html(rows.front().unit), kChartWidth, kHeight, grid(),
      line(rows, &SuiteRow::located_at_75, "place"), line(rows, &SuiteRow::recall_at_1, "first"),
      dots(rows));
}

// Draws an SVG chart per kind: recall and share located, from 0 to 1, over the strengths.
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

constexpr const char* kAnswersHeaderRow = "photo,kind,strength,rank,iou,first\n";

std::string strength_text(const SuiteRow& row) {
  return fmt::format("{:g} {}", row.strength, row.unit);
}

std::string left_out_list(const SuiteResult& result) {
  if (result.left_out.empty()) return "";
  std::string html = fmt::format("<details><summary>{} left out</summary><ul>",
                                 counted(result.left_out.size(), "file"));
  for (const LeftOutImage& file : result.left_out) {
    html += fmt::format("<li>{} {}</li>", escape_html(file.path), escape_html(file.why));
  }
  return html + "</ul></details>\n";
}

std::string html_table(const std::vector<SuiteRow>& rows) {
  std::string html =
      "<table class=\"summary\"><tr><th>Kind</th><th>Strength</th><th>Found first</th>"
      "<th>Confirmed</th><th>Located</th></tr>\n";
  for (const SuiteRow& row : rows) {
    html += fmt::format(
        "<tr><td>{}</td><td>{}</td><td class=\"number-cell\">{:.3f}</td>"
        "<td class=\"number-cell\">{:.3f}</td><td class=\"number-cell\">{:.3f}</td></tr>\n",
        escape_html(row.kind), escape_html(strength_text(row)), row.recall_at_1,
        row.recall_at_1_confirmed, row.located_at_75);
  }
  return html + "</table>\n";
}

}  // namespace

std::string suite_table(const SuiteResult& result) {
  std::string text =
      fmt::format("{} photos, {} left out\n{:<13}{:>24}{:>10}{:>11}{:>10}\n", result.photos,
                  result.left_out.size(), "kind", "strength", "recall@1", "confirmed", "located");
  for (const SuiteRow& row : suite_rows(result)) {
    text += fmt::format("{:<13}{:>24}{:>10.3f}{:>11.3f}{:>10.3f}\n", row.kind, strength_text(row),
                        row.recall_at_1, row.recall_at_1_confirmed, row.located_at_75);
  }
  return text;
}

Json suite_json(const SuiteResult& result) {
  Json left_out = Json::array();
  for (const LeftOutImage& file : result.left_out) {
    left_out.push_back({{"path", text_of_path(file.path)}, {"why", file.why}});
  }
  Json results = Json::array();
  for (const SuiteRow& row : suite_rows(result)) {
    results.push_back({{"kind", row.kind},
                       {"strength", row.strength},
                       {"unit", row.unit},
                       {"queries", row.queries},
                       {"recall_at_1", row.recall_at_1},
                       {"recall_at_1_confirmed", row.recall_at_1_confirmed},
                       {"located_at_iou_75", row.located_at_75}});
  }
  return {{"photos", result.photos}, {"left_out", left_out}, {"results", results}};
}

std::string suite_answers_csv(const SuiteResult& result) {
  std::string text = kAnswersHeaderRow;
  for (const SuiteAnswer& answer : result.answers) {
    const VariantKind& kind = result.kinds[answer.kind];
    text += fmt::format("{},{},{:g},{},{:.4f},{}\n", csv_field(answer.photo), kind.name,
                        kind.strengths[answer.strength], answer.rank, answer.iou,
                        csv_field(answer.first));
  }
  return text;
}

OutputKind suite_answers_kind() {
  return kind_that_begins("a table of answers", kAnswersHeaderRow);
}

std::string suite_page(const SuiteResult& result, Facts facts) {
  facts.emplace_back("photos", fmt::format("{}", result.photos));
  const std::vector<SuiteRow> rows = suite_rows(result);
  return html_page(
      "How different a photo may be",
      fmt::format("{}<section class=\"panel\"><p class=\"key\">Share of the photos that were "
                  "<b>found first</b>, "
                  "and of those that were also <b>located</b>, with an overlap of at least 0.75"
                  "</p>\n<div class=\"charts\">{}</div></section>\n{}{}",
                  facts_list(facts), charts(rows), html_table(rows), left_out_list(result)));
}

}  // namespace lookalike
