#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "stages/match/match.h"

namespace lookalike {

// One image that a query should find, and where it lies in the query when that is known.
struct RelevantImage {
  std::string path;
  std::optional<Quad> quad;  // corners as a Match has them
};

struct TruthQuery {
  std::string path;
  std::vector<RelevantImage> relevant;  // empty: nothing in the index matches
};

// Reads ground truth: CSV with the header "query,relevant,x0,y0,x1,y1,x2,y2,x3,y3", one row per
// relevant image, an empty `relevant` for a query that matches nothing, corners (top-left,
// top-right, bottom-right, bottom-left, px of the query) all present or all empty. Fields hold no
// commas or quotes. Paths become `folder / path`. Queries keep the order of their first row.
// Throws Error(kInput, "name:line: ...") on anything else; `name` is what messages call the input.
std::vector<TruthQuery> read_truth(std::istream& input, const std::string& name,
                                   const std::filesystem::path& folder);

}  // namespace lookalike
