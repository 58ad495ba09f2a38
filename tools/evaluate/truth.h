#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/geometry.h"

namespace lookalike {

// An image that a query should find, and its place in the query if known.
struct RelevantImage {
  std::string path;
  std::optional<Quad> quad;  // corners in the order of Match::quad
};

struct TruthQuery {
  std::string path;
  std::vector<RelevantImage> relevant;  // empty: nothing in the index matches
};

inline constexpr std::string_view kTruthHeader = "query,relevant,x0,y0,x1,y1,x2,y2,x3,y3";

// Reads ground truth: CSV with the header kTruthHeader, one row per relevant image, an empty
// `relevant` for a query that matches nothing, corners (top-left, top-right, bottom-right,
// bottom-left, px of the query) all present or all empty. Fields hold no commas or quotes. Paths
// become `folder / path`. Queries keep the order of their first row. Throws Error(kInput,
// "name:line: ...") on anything else; `name` names the input in messages.
std::vector<TruthQuery> read_truth(std::istream& input, const std::string& name,
                                   const std::filesystem::path& folder);

}  // namespace lookalike
