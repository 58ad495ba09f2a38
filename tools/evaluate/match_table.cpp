#include "tools/evaluate/match_table.h"

#include <cstddef>
#include <optional>

#include <fmt/format.h>

#include "pipeline/error.h"
#include "stages/match/decision.h"
#include "tools/evaluate/csv_field.h"
#include "tools/evaluate/metrics.h"

namespace lookalike {
namespace {

std::string if_taken(const std::optional<double>& value) {
  return value ? fmt::format("{:.4f}", *value) : "";
}

}  // namespace

MatchTable::MatchTable(const std::string& file)
    : file_(file), output_(file, std::ios::binary | std::ios::trunc) {
  if (!output_) throw Error(ErrorKind::kStorage, fmt::format("{}: cannot be written", file));
  output_ << "query,image,relevant,rank,score,decision,probability,votes,votes_ratio,votes_excess,"
             "pairs,inliers,effective_inliers,correlation,detail\n";
}

void MatchTable::add(const TruthQuery& query, std::span<const Match> matches) {
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const Match& match = matches[i];
    const Evidence& evidence = match.evidence;
    output_ << fmt::format(
        "{},{},{},{},{:.3f},{},{:.4f},{:.6f},{:.3f},{:.3f},{},{},{},{},{}\n", csv_field(query.path),
        csv_field(match.image.paths.front()), is_relevant(query, match.image.paths) ? 1 : 0, i + 1,
        match.score, to_string(match.decision), match.probability, evidence.votes,
        evidence.votes_ratio, evidence.votes_excess, evidence.pairs, evidence.inliers,
        evidence.effective_inliers, if_taken(evidence.correlation), if_taken(evidence.detail));
  }
}

void MatchTable::close() {
  output_.close();
  if (!output_) throw Error(ErrorKind::kStorage, fmt::format("{}: cannot be written", file_));
}

}  // namespace lookalike
