#include "tools/evaluate/match_table.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "stages/match/decide/decision.h"
#include "tools/evaluate/csv_field.h"
#include "tools/evaluate/metrics.h"

namespace lookalike {
namespace {

constexpr const char* kHeaderRow =
    "query,image,relevant,rank,score,decision,probability,votes,votes_ratio,votes_excess,pairs,"
    "inliers,effective_inliers,correlation,detail\n";

std::string if_taken(const std::optional<double>& value) {
  return value ? fmt::format("{:.4f}", *value) : "";
}

}  // namespace

OutputKind match_table_kind() {
  return kind_that_begins("a table of matches", kHeaderRow);
}

MatchTable::MatchTable(OutputFile file) : file_(std::move(file)) {
  file_.write(kHeaderRow);
}

void MatchTable::add(const TruthQuery& query, std::span<const Match> matches) {
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const Match& match = matches[i];
    const Evidence& evidence = match.evidence;
    file_.write(fmt::format(
        "{},{},{},{},{:.3f},{},{:.4f},{:.6f},{:.3f},{:.3f},{},{},{},{},{}\n", csv_field(query.path),
        csv_field(match.image.paths.front()), is_relevant(query, match.image.paths) ? 1 : 0, i + 1,
        match.score, to_string(match.decision), match.probability, evidence.votes,
        evidence.votes_ratio, evidence.votes_excess, evidence.pairs, evidence.inliers,
        evidence.effective_inliers, if_taken(evidence.correlation), if_taken(evidence.detail)));
  }
}

}  // namespace lookalike
