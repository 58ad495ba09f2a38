#include "tools/evaluate/rank_table.h"

#include <cstddef>

#include <fmt/format.h>

#include "base/error.h"
#include "tools/evaluate/csv_field.h"

namespace lookalike {
namespace {

constexpr const char* kHeaderRow = "query,relevant,rank,iou\n";

}  // namespace

std::string rank_table(std::span<const TruthQuery> queries, std::span<const Answer> answers,
                       bool boxes) {
  require(queries.size() == answers.size(), "rank_table: one answer per query is needed");
  std::string text = kHeaderRow;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    for (const RelevantImage& image : queries[i].relevant) {
      text +=
          fmt::format("{},{},{},{}\n", csv_field(queries[i].path), csv_field(image.path),
                      rank_of(image, answers[i]),
                      image.quad ? fmt::format("{:.4f}", overlap(image, answers[i], boxes)) : "");
    }
  }
  return text;
}

OutputKind rank_table_kind() {
  return kind_that_begins("a table of ranks", kHeaderRow);
}

}  // namespace lookalike
