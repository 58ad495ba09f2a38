#pragma once

#include <fstream>
#include <span>
#include <string>

#include "stages/match/match.h"
#include "tools/evaluate/truth.h"

namespace lookalike {

// A CSV file of every match that was answered and what is known of it:
//   query,image,relevant,rank,score,decision,probability,votes,votes_ratio,votes_excess,pairs,
//   inliers,effective_inliers,correlation,detail
// relevant is 1 or 0; correlation and detail are empty where they were not taken. Paths are quoted
// as RFC 4180 has it.
class MatchTable {
 public:
  // Throws Error(kStorage) when the file cannot be made.
  explicit MatchTable(const std::string& file);
  void add(const TruthQuery& query, std::span<const Match> matches);
  // Throws Error(kStorage) when anything could not be written.
  void close();

 private:
  const std::string file_;
  std::ofstream output_;
};

}  // namespace lookalike
