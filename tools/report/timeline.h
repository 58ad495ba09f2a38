#pragma once

#include <span>
#include <string>

#include "pipeline/flow/stage_times.h"

namespace lookalike {

// A drawing of when each thread was busy with which stage, as SVG with a key, for an HTML page: a
// line a thread, in the order of their first spans, time from left to right. Spans of a stage with
// gaps that nobody could see are drawn as one.
std::string timeline(std::span<const StageSpan> spans);

}  // namespace lookalike
