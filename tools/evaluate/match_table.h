#pragma once

#include <span>

#include "stages/match/match.h"
#include "storage/output_file.h"
#include "tools/evaluate/truth.h"

namespace lookalike {

// A CSV file of every match that was answered and what is known of it:
//   query,image,relevant,rank,score,decision,probability,votes,votes_ratio,votes_excess,pairs,
//   inliers,effective_inliers,correlation,detail
// relevant is 1 or 0; correlation and detail are empty where they were not taken. Paths are quoted
// as RFC 4180 has it.
class MatchTable {
 public:
  explicit MatchTable(OutputFile file);
  void add(const TruthQuery& query, std::span<const Match> matches);
  void commit() { file_.commit(); }  // once, after the last add()

 private:
  OutputFile file_;
};

// These tables, recognised by their header row.
OutputKind match_table_kind();

}  // namespace lookalike
