#include "stages/match/match.h"

#include <algorithm>
#include <array>

namespace lookalike {

std::string_view to_string(Decision decision) {
  static constexpr std::array<std::string_view, 5> kNames = {"none", "similar", "part",
                                                             "same object", "duplicate"};
  return kNames[static_cast<std::size_t>(decision)];
}

const std::string& path_of(const Match& match) {
  const std::vector<std::string>& paths = match.image.paths;
  const auto first = std::ranges::find_if(paths, [&](const std::string& path) {
    return std::ranges::find(match.gone, path) == match.gone.end();
  });
  return first == paths.end() ? paths.front() : *first;
}

void move_matches(std::vector<Match>& matches, const Homography& query_to_other) {
  for (Match& match : matches) {
    if (!match.is_located()) continue;
    match.object_to_query = query_to_other * match.object_to_query;
    match.quad = moved(match.quad, query_to_other);
    if (match.part) match.part = moved(*match.part, query_to_other);
    for (PointPair& pair : match.inlier_pairs) pair.scene = query_to_other.apply(pair.scene);
  }
}

}  // namespace lookalike
