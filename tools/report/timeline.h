#pragma once

#include <span>
#include <string>

#include "pipeline/flow/stage_times.h"

namespace lookalike {

// Draws the stages of each thread over time, as SVG with a key, for an HTML page: a line per
// thread, in the order of their first spans, time from left to right. Spans of a stage with
// invisible gaps are drawn as one.
std::string timeline(std::span<const StageSpan> spans);

}  // namespace lookalike
