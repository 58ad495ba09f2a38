#pragma once

#include "stages/match/explain.h"
#include "stages/match/query_input.h"
#include "stages/match/query_trace.h"
#include "stages/match/shared_search.h"

namespace lookalike {

// Explains one image by itself; verifies and compares it even if the query, which gave the trace,
// did not. Leaves query_features, place, total and rival to Matcher::explain.
Explanation explain_image(SharedSearch& shared, QueryInput& input, const QueryTrace& trace,
                          ImageId image);

}  // namespace lookalike
