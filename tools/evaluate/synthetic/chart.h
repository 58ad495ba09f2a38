#pragma once

#include <span>
#include <string>

#include "tools/evaluate/synthetic/suite.h"

namespace lookalike {

// A chart for each kind, side by side: recall and share located, from 0 to 1, over its strengths.
// HTML with SVG in it, for a page whose style is the report's.
std::string charts(std::span<const SuiteRow> rows);

}  // namespace lookalike
