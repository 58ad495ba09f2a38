#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "config/options.h"
#include "pipeline/json.h"
#include "storage/index_reader.h"
#include "tools/evaluate/metrics.h"
#include "tools/evaluate/tables.h"
#include "tools/evaluate/truth.h"

// What an index answers to the queries of a ground truth.
namespace lookalike {

// Timed steps of a query.
inline constexpr std::array<const char*, 7> kTruthSteps = {
    "extract", "match", "words", "shortlist", "verify", "refine", "relate"};

// The answers to the queries, in their order.
struct TruthAnswers {
  std::uint32_t depth = 0;      // of the ranking, places
  std::vector<Answer> ranking;  // everything that votes or geometry found
  std::vector<Answer> plain;    // what `query` lists
  std::vector<Answer> own;      // the same without related images
  std::array<std::vector<double>, kTruthSteps.size()> times;  // of the plain answers, ms, by step
};

// Minimum probability of candidates in calibration figures. Less probable ones, hardly any of which
// is shown, would outnumber the others.
inline constexpr double kCandidateProbability = 0.01;

// Reads a file of ground truth; its paths are relative to the file's folder. Throws as
// read_truth(), and Error(kInput) for a file that cannot be read.
std::vector<TruthQuery> load_truth(const std::string& file);

struct TruthOptions {
  Progress::Style style = Progress::Style::kQuiet;
  MatchTable* table = nullptr;  // receives the evidence of each match, and is committed; optional
  std::function<void()> before_each = [] {};  // called before each query; may throw
};

// Looks up all queries, one after the other. Throws Error(kInput) for a photo that cannot be used
// and for a relevant image that is not in the index, and as Searcher.
TruthAnswers answer_truth(const std::vector<TruthQuery>& queries, const IndexReader& index,
                          RunConfig config, const TruthOptions& options);

struct MeasureOptions {
  bool boxes = false;        // compare places by their upright bounding boxes
  double error_rate = 0.01;  // maximum share of wrong images at the threshold, [0, 1]
};

// Returns the measures as docs/schema/evaluate.json describes.
Json measures_json(const std::vector<TruthQuery>& queries, const TruthAnswers& answers,
                   const MeasureOptions& options);

}  // namespace lookalike
