#pragma once

#include <span>
#include <string>
#include <string_view>

#include "stages/match/match.h"
#include "storage/output_file.h"
#include "tools/evaluate/metrics.h"
#include "tools/evaluate/truth.h"

// The CSV files of `lookalike evaluate`. Paths are quoted as in RFC 4180.
namespace lookalike {

// Formats a row per relevant image: query,relevant,rank,iou. rank counts from 1, 0 if the image was
// not found; iou is overlap(), empty if the place is unknown. answers[i] is for queries[i]. Throws
// Error(kInternal) when the sizes differ.
std::string rank_table(std::span<const TruthQuery> queries, std::span<const Answer> answers,
                       bool boxes);
OutputKind rank_table_kind();  // recognised by the header row

// Writes a row per match, with its evidence: query,image,relevant,rank,score,decision,probability,
// votes,votes_ratio,votes_excess,pairs,agreeing_votes,inliers,effective_inliers,correlation,detail,
// colour, and the quantities of Calibration as "weighed ...". relevant is 1 or 0; correlation,
// detail and colour are empty if not measured, the quantities without a pose.
class MatchTable {
 public:
  explicit MatchTable(OutputFile file);
  void add(const TruthQuery& query, std::span<const Match> matches);
  void commit() { file_.commit(); }  // once, after the last add()

 private:
  OutputFile file_;
};
OutputKind match_table_kind();  // recognised by the header row

}  // namespace lookalike
