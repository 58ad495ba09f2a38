#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/geometry.h"

namespace lookalike {

// An image that a query should find, with its place in the query if known.
struct RelevantImage {
  std::string path;
  std::optional<Quad> quad;  // corners in the order of Match::quad
};

struct TruthQuery {
  std::string path;
  std::vector<RelevantImage> relevant;  // empty: nothing in the index matches
};

inline constexpr std::string_view kShortTruthHeader = "query,relevant";
inline constexpr std::string_view kTruthHeader = "query,relevant,x0,y0,x1,y1,x2,y2,x3,y3";

// Reads ground truth: CSV (RFC 4180) with either header and one row per relevant image; `relevant`
// is empty for a query that matches nothing. Corners (top-left, top-right, bottom-right,
// bottom-left, px of the query) are all given or all empty. Paths become `folder / path`. Queries
// keep the order of their first row. Throws Error(kInput, "file: row N: ...") on anything else;
// `file` names the input in messages, and the header is row 1.
std::vector<TruthQuery> read_truth(std::string_view csv, const std::string& file,
                                   const std::filesystem::path& folder);

}  // namespace lookalike
