#include "tools/evaluate/tables.h"

#include <cstddef>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "stages/match/decide/calibration.h"
#include "stages/match/decide/decision.h"

namespace lookalike {
namespace {

constexpr const char* kRankHeader = "query,relevant,rank,iou\n";

std::string match_header() {
  std::string header =
      "query,image,relevant,rank,score,decision,probability,votes,votes_ratio,votes_excess,pairs,"
      "agreeing_votes,inliers,effective_inliers,correlation,detail,colour";
  for (const std::string_view name : Calibration::kQuantities) {
    header += fmt::format(",{}", csv_field(fmt::format("weighed {}", name)));
  }
  return header + "\n";
}

std::string number_or_empty(const std::optional<double>& value) {
  return value ? fmt::format("{:.4f}", *value) : "";
}

}  // namespace

std::string rank_table(std::span<const TruthQuery> queries, std::span<const Answer> answers,
                       bool boxes) {
  require(queries.size() == answers.size(), "rank_table: one answer per query is needed");
  std::string text = kRankHeader;
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
  return kind_that_begins("a table of ranks", kRankHeader);
}

MatchTable::MatchTable(OutputFile file) : file_(std::move(file)) {
  file_.write(match_header());
}

void MatchTable::add(const TruthQuery& query, std::span<const Match> matches) {
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const Match& match = matches[i];
    const Evidence& evidence = match.evidence;
    file_.write(fmt::format(
        "{},{},{},{},{:.3f},{},{:.4f},{:.6f},{:.3f},{:.3f},{},{:.3f},{},{},{},{},{}",
        csv_field(query.path), csv_field(match.image.paths.front()),
        is_relevant(query, match.image.paths) ? 1 : 0, i + 1, match.score,
        to_string(match.decision), match.probability, evidence.votes, evidence.votes_ratio,
        evidence.votes_excess, evidence.pairs, evidence.agreeing_votes, evidence.inliers,
        evidence.effective_inliers, number_or_empty(evidence.correlation),
        number_or_empty(evidence.detail), number_or_empty(evidence.colour)));
    for (const EvidenceTerm& term : Calibration{}.terms(evidence)) {
      file_.write(evidence.effective_inliers > 0 ? fmt::format(",{:.4f}", term.value) : ",");
    }
    file_.write("\n");
  }
}

OutputKind match_table_kind() {
  return kind_that_begins("a table of matches", match_header());
}

}  // namespace lookalike
