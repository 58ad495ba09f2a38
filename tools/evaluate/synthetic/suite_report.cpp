#include "tools/evaluate/synthetic/suite_report.h"

#include <string_view>

#include <fmt/format.h>

#include "pipeline/answers.h"
#include "tools/evaluate/csv_field.h"
#include "tools/evaluate/synthetic/chart.h"
#include "tools/report/html.h"

namespace lookalike {
namespace {

constexpr const char* kAnswersHeaderRow = "photo,kind,strength,rank,iou,first\n";

std::string strength_text(const SuiteRow& row) {
  return fmt::format("{:g} {}", row.strength, row.unit);
}

std::string left_out_list(const SuiteResult& result) {
  if (result.left_out.empty()) return "";
  std::string html =
      fmt::format("<details><summary>{} files left out</summary><ul>", result.left_out.size());
  for (const LeftOut& file : result.left_out) {
    html += fmt::format("<li>{} {}</li>", escape_html(file.path), escape_html(file.why));
  }
  return html + "</ul></details>\n";
}

std::string html_table(const std::vector<SuiteRow>& rows) {
  std::string html =
      "<table class=\"summary\"><tr><th>Kind</th><th>Strength</th><th>Found first</th>"
      "<th>Located</th></tr>\n";
  for (const SuiteRow& row : rows) {
    html += fmt::format(
        "<tr><td>{}</td><td>{}</td><td class=\"number-cell\">{:.3f}</td>"
        "<td class=\"number-cell\">{:.3f}</td></tr>\n",
        escape_html(row.kind), escape_html(strength_text(row)), row.recall_at_1, row.located_at_75);
  }
  return html + "</table>\n";
}

}  // namespace

std::string suite_table(const SuiteResult& result) {
  std::string text =
      fmt::format("{} photos, {} left out\n{:<13}{:>24}{:>10}{:>10}\n", result.photos,
                  result.left_out.size(), "kind", "strength", "recall@1", "located");
  for (const SuiteRow& row : suite_rows(result)) {
    text += fmt::format("{:<13}{:>24}{:>10.3f}{:>10.3f}\n", row.kind, strength_text(row),
                        row.recall_at_1, row.located_at_75);
  }
  return text;
}

std::string suite_json(const SuiteResult& result) {
  Json left_out = Json::array();
  for (const LeftOut& file : result.left_out) {
    left_out.push_back({{"path", file.path}, {"why", file.why}});
  }
  Json results = Json::array();
  for (const SuiteRow& row : suite_rows(result)) {
    results.push_back({{"kind", row.kind},
                       {"strength", row.strength},
                       {"unit", row.unit},
                       {"queries", row.queries},
                       {"recall_at_1", row.recall_at_1},
                       {"located_at_iou_75", row.located_at_75}});
  }
  return json_text({{"photos", result.photos}, {"left_out", left_out}, {"results", results}});
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
      fmt::format("{}<section><p class=\"key\">Share of the photos that were <b>found first</b>, "
                  "and of those whose place was found too, with an overlap of at least 0.75: "
                  "<b>located</b></p>\n<div class=\"charts\">{}</div></section>\n{}{}",
                  facts_list(facts), charts(rows), html_table(rows), left_out_list(result)));
}

}  // namespace lookalike
