#pragma once

#include <vector>

#include "stages/match/match.h"

namespace lookalike {

// Says where matches lie in another picture of the same scene; the map takes pixel centres of the
// query to pixel centres of that picture.
void move_matches(std::vector<Match>& matches, const Homography& query_to_other);

}  // namespace lookalike
