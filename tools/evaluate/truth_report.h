#pragma once

#include <span>
#include <string>

#include "pipeline/answers.h"
#include "tools/evaluate/metrics.h"
#include "tools/evaluate/truth.h"
#include "tools/report/report.h"

// What `lookalike evaluate --truth` tells a person.
namespace lookalike {

// Formats six lines from the object that `evaluate --json` prints.
std::string truth_summary(const Json& measures);

// Returns the photos whose plain answers are wrong first, sure but wrong, unsure, or lack relevant
// images, in this order, each once, with the images concerned. plain[i] and ranking[i] are the
// answers to queries[i]; the ranking gives the ranks of missed images. Throws Error(kInternal) when
// the sizes differ.
//   wrong first     the first image is not relevant, and the photo shows something
//   sure but wrong  an image is confirmed that is not relevant
//   unsure          the first image is relevant but not confirmed
Report truth_report(std::span<const TruthQuery> queries, std::span<const Answer> plain,
                    std::span<const Answer> ranking);

}  // namespace lookalike
