#include "stages/match/locate/candidates.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>

#include "base/quad.h"

namespace lookalike {
namespace {

constexpr int kNear = 2;  // px, and steps of turn and scale

bool are_near(const Candidate& a, const Candidate& b, const PoseGrid& grid, int level) {
  return std::abs(a.x - b.x) <= kNear && std::abs(a.y - b.y) <= kNear &&
         std::abs(a.pose.scale - b.pose.scale) <= kNear &&
         grid.turns_apart(a.pose, b.pose, level) <= kNear;
}

}  // namespace

void thin(std::vector<Candidate>& candidates, const PoseGrid& grid, int level, std::size_t most) {
  std::map<std::pair<int, int>, std::vector<Candidate>> cells;  // kNear px wide
  const auto cell_of = [](const Candidate& candidate) {
    return std::pair(candidate.x / kNear, candidate.y / kNear);
  };
  std::vector<Candidate> kept;
  for (const Candidate& candidate : candidates) {
    if (kept.size() == most) break;
    const auto [column, row] = cell_of(candidate);
    bool again = false;
    for (int i = 0; i < 9 && !again; ++i) {
      const auto cell = cells.find({column + i % 3 - 1, row + i / 3 - 1});
      again = cell != cells.end() &&
              std::any_of(cell->second.begin(), cell->second.end(), [&](const Candidate& better) {
                return are_near(better, candidate, grid, level);
              });
    }
    if (again) continue;
    kept.push_back(candidate);
    cells[{column, row}].push_back(candidate);
  }
  candidates = std::move(kept);
}

Homography similarity(const CentrePose& pose, const Point& object_centre) {
  const double a = pose.turn_scale.scale * std::cos(pose.turn_scale.turn);
  const double b = pose.turn_scale.scale * std::sin(pose.turn_scale.turn);
  return {{a, -b, pose.centre.x - a * object_centre.x + b * object_centre.y, b, a,
           pose.centre.y - b * object_centre.x - a * object_centre.y, 0, 0, 1}};
}

void sort_by_correlation(std::vector<FittedPose>& fits) {
  std::stable_sort(fits.begin(), fits.end(), [](const FittedPose& a, const FittedPose& b) {
    return std::abs(a.correlation) > std::abs(b.correlation);
  });
}

void suppress(std::vector<FittedPose>& fits, const PoseObject& object, double max_overlap,
              std::size_t most) {
  std::vector<FittedPose> kept;
  std::vector<Quad> quads;
  for (const FittedPose& fit : fits) {
    if (kept.size() == most) break;
    const Quad quad = outline(similarity(fit.pose, object.centre), object.width, object.height);
    const bool again = std::any_of(quads.begin(), quads.end(), [&](const Quad& earlier) {
      return intersection_over_union(earlier, quad) > max_overlap;
    });
    if (again) continue;
    kept.push_back(fit);
    quads.push_back(quad);
  }
  fits = std::move(kept);
}

}  // namespace lookalike
