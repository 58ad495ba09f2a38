#include "stages/match/move.h"

namespace lookalike {

void move_matches(std::vector<Match>& matches, const Homography& query_to_other) {
  for (Match& match : matches) {
    if (!match.is_located()) continue;
    match.object_to_query = query_to_other * match.object_to_query;
    match.quad = moved(match.quad, query_to_other);
    if (match.part) match.part = moved(*match.part, query_to_other);
    for (auto& [on_object, in_query] : match.inlier_pairs) {
      in_query = query_to_other.apply(in_query);
    }
  }
}

}  // namespace lookalike
