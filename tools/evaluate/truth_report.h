#pragma once

#include <span>
#include <string>

#include "pipeline/json.h"
#include "tools/evaluate/metrics.h"
#include "tools/evaluate/truth.h"
#include "tools/report/report.h"

// What `lookalike evaluate --truth` prints and shows.
namespace lookalike {

// Formats the six lines of text from the measures of measures_json().
std::string truth_summary(const Json& measures);

// Returns the photos whose plain answers need a look, each in the first group that applies, with
// the images concerned. plain[i] and ranking[i] are the answers to queries[i]; the ranking gives
// the ranks of missed images. Throws Error(kInternal) when the sizes differ.
//   wrong first     the first image is not relevant, and the photo shows something indexed
//   sure but wrong  an image is confirmed that is not relevant
//   unsure          the first image is relevant but not confirmed
//   missed          a relevant image is not listed
Report truth_report(std::span<const TruthQuery> queries, std::span<const Answer> plain,
                    std::span<const Answer> ranking);

}  // namespace lookalike
