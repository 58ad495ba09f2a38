#pragma once

#include <map>
#include <utility>
#include <vector>

#include "stages/match/match.h"
#include "stages/match/query_input.h"
#include "stages/match/refine/rivals.h"
#include "stages/match/shared_search.h"
#include "storage/prints.h"

namespace lookalike {

// Compares a query with its matches in colour, at their poses, and adds what it sees to their
// evidence. Compares nothing if the query has no colours or a picture cannot be read. Thread-safe
// but for rivals().
class ColourComparison {
 public:
  ColourComparison(SharedSearch& shared, QueryInput& input) : shared_(shared), input_(input) {}

  // Looks for differences if the pixels agree.
  void find_difference(Match& match);
  // Looks for other content if the match is sure and the image is on light ground, unless the
  // distinctive cells show it already.
  void find_content(Match& match);
  // Compares the distinctive cells of the image (prints.h) if the match is sure.
  void compare_own_cells(Match& match);
  // Compares the colours of a match, which may lack a pose.
  void compare_colours(Match& match);
  // Compares two indexed images with the query, which has colours; each two once.
  RivalComparison rivals(const Match& first, const Match& second);

 private:
  std::vector<PrintEdge> prints_of(ImageId image) const;

  SharedSearch& shared_;
  QueryInput& input_;
  std::map<std::pair<ImageId, ImageId>, RivalComparison> rivals_;
};

}  // namespace lookalike
