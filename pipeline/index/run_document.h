#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "pipeline/index/index_run.h"

namespace lookalike {

// What a run says of itself in the index's record of runs: counts of files by outcome and of those
// set aside by reason, seconds by stage, rates, device, peak memory, what the index held before and
// holds now, warnings. docs/nightly.md names the keys.
nlohmann::ordered_json run_document(const IndexRunReport& report);

// The same for a run that failed: {"error": message} and, where it is known what it had done by
// then, the keys above but for what the index holds now. Files are counted as they are handed on
// to be stored; the last of them may not have come to be in the index.
nlohmann::ordered_json failure_document(const std::string& message, const IndexRunReport* so_far);

}  // namespace lookalike
