#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/work_limits.h"
#include "stages/match/decide/decision.h"
#include "stages/match/query_run.h"
#include "stages/match/refine/prints.h"
#include "stages/match/verify/verification.h"
#include "stages/match/vote/vote_spread.h"

// The edges of an indexed image in the neighbour graph.
namespace lookalike {
namespace {

// Weight of an edge by votes for each agreeing pair, and its maximum.
constexpr double kWeightOfAPair = 0.01;
constexpr double kMostByVotes = 0.4;
constexpr double kSure = 0.95;         // minimum probability of a sure edge
constexpr double kLeastInliers = 0.4;  // share of pairs, of a match that needs no pixels
constexpr double kLeastSpan = 0.25;    // span_of() of such a match
constexpr double kStrayShare = 0.05;   // of inliers, at each end, that may be chance
constexpr double kMayFill = 0.06;      // maximum offset of a corner, of the longer side
// Maximum number of prints found before further possible copies and prints of an image are skipped.
// Copies have more votes and come first, and only kMostPrints edges are stored.
constexpr std::size_t kMostComparedPrints = 2 * kMostPrints;

// True if an outline lies within a picture of width x height px, with some slack, and covers less
// than half of it.
bool lies_inside(const Quad& quad, int width, int height) {
  constexpr double kSlack = 0.03;  // of the longer side
  constexpr double kMostShare = 0.5;
  const double slack = kSlack * std::max(width, height);
  return std::ranges::all_of(quad,
                             [&](const Point& corner) {
                               return corner.x >= -slack && corner.y >= -slack &&
                                      corner.x <= width + slack && corner.y <= height + slack;
                             }) &&
         std::abs(signed_area(quad)) < kMostShare * width * height;
}

// Returns the kind of the edge to an image that a width x height px image surely shows.
EdgeKind kind_of(const Match& match, int width, int height) {
  if (lies_inside(match.quad, width, height)) return EdgeKind::kInside;
  const Quad back = outline(match.object_to_query.inverse(), width, height);
  return lies_inside(back, match.image.width, match.image.height) ? EdgeKind::kAround
                                                                  : EdgeKind::kObject;
}

struct Extent {
  double low = 0;
  double high = 0;

  double length() const { return std::max(0.0, high - low); }
};

// Returns the length over which positions extend, less kStrayShare of them at each end. A gap wider
// than half of it does not count: features on two opposite sides span little.
double spanned(std::vector<double> positions) {
  constexpr double kWideGap = 0.5;
  std::ranges::sort(positions);
  const auto strays = static_cast<std::size_t>(kStrayShare * static_cast<double>(positions.size()));
  const std::size_t last = positions.size() - 1 - strays;
  const double length = positions[last] - positions[strays];
  double widest = 0;
  for (std::size_t i = strays; i < last; ++i) {
    widest = std::max(widest, positions[i + 1] - positions[i]);
  }
  return widest > kWideGap * length ? length - widest : length;
}

// Returns the part within [0, size] of the extent of four positions.
Extent visible(const std::array<double, 4>& positions, double size) {
  const auto [low, high] = std::ranges::minmax(positions);
  return {std::clamp(low, 0.0, size), std::clamp(high, 0.0, size)};
}

// True if an outline is nearly that of the whole picture, so that the match may be a copy.
bool may_fill(const Quad& quad, int width, int height) {
  return furthest_corner_px(quad, outline({}, width, height)) <= kMayFill * std::max(width, height);
}

// Returns how much of the shared part of a match its inliers span (see spanned()): the area of the
// box around the inliers, over that of the box around what a width x height px picture shows of the
// image.
double span_of(const Match& match, int width, int height) {
  std::vector<double> x;
  std::vector<double> y;
  for (const PointPair& pair : match.inlier_pairs) {
    x.push_back(pair.object.x);
    y.push_back(pair.object.y);
  }
  const Quad back = outline(match.object_to_query.inverse(), width, height);
  const Extent across = visible({back[0].x, back[1].x, back[2].x, back[3].x}, match.image.width);
  const Extent down = visible({back[0].y, back[1].y, back[2].y, back[3].y}, match.image.height);
  const double shown = across.length() * down.length();
  if (shown <= 0) return 0;
  return spanned(std::move(x)) * spanned(std::move(y)) / shown;
}

}  // namespace

// True if the features of a match, which has a pose, are enough for an edge: it is probable, and
// many of its pairs are inliers that span more than a small part. Pixels would hardly change it.
bool QueryRun::is_sure_by_features(const IndexQuery& query, const Match& match) const {
  const Evidence& evidence = match.evidence;
  return shared_.calibration.probability(evidence) >= kSure &&
         evidence.inliers >= kLeastInliers * evidence.pairs &&
         span_of(match, query.width, query.height) >= kLeastSpan;
}

// True if the match may share a print with the query, by its pose and the brightness of both. Their
// colours decide.
bool QueryRun::may_be_print(const Match& match) {
  const ImageRecord& own = picture()->record;
  const auto may_share = [&](bool light) {
    return may_share_print({match.image.width, match.image.height}, {own.width, own.height},
                           match.object_to_query, light);
  };
  if (may_share(false)) return true;
  if (!may_share(true) || !may_be_light(picture()->pixels.view())) return false;
  const auto image = shared_.cache.picture(match.image);
  return *image && may_be_light((*image)->pixels.view());
}

// Returns the edges between the image that is looked up, number `id`, and a match; nothing if they
// are not of one print with other content.
std::optional<PrintPairEdges> QueryRun::find_print(ImageId id, const Match& match) {
  constexpr double kLeastExact = 0.04;  // share of cells
  const Evidence& evidence = match.evidence;
  if (evidence.exact < kLeastExact || evidence.identical) return std::nullopt;
  if (!may_be_print(match)) return std::nullopt;
  check_time();
  const auto image = shared_.cache.colours(match.image, ColourSize::kReduced);
  const double inlier_share = static_cast<double>(evidence.inliers) / std::max(1U, evidence.pairs);
  auto pair =
      compare_prints(*image, colours(ColourSize::kReduced), match.object_to_query, inlier_share);
  if (!pair) return std::nullopt;
  return PrintPairEdges{{match.image.id, pair->agreement, std::move(pair->of_second)},
                        {id, pair->agreement, std::move(pair->of_first)}};
}

// Verifies candidates in their order until kMostNeighbours edges are sure. Compares the pixels of
// possible copies and prints at once, and those of other matches that are not sure by their
// features at the end.
FoundNeighbours QueryRun::neighbours_among(ImageId id, const IndexQuery& query,
                                           std::span<const RankedImage> candidates,
                                           std::span<const std::vector<WordPair>> pairs,
                                           const VoteSpread& spread) {
  finds_pose_only_ = true;
  FoundNeighbours found;
  std::vector<Neighbour>& edges = found.edges;
  std::vector<ImageId> copies;
  std::vector<Match> open;
  std::size_t sure = 0;
  const auto add = [&](Match match) {
    match.decision = decide(match, query.width, query.height, options_);
    if (match.decision == Decision::kPart) return;
    sure += match.probability >= kSure ? 1 : 0;
    if (match.decision == Decision::kDuplicate) copies.push_back(match.image.id);
    add_neighbour({match.image.id, match.probability, kind_of(match, query.width, query.height)},
                  edges);
  };
  const auto remove_edge = [&](ImageId image) {
    std::erase_if(edges, [&](const Neighbour& edge) { return edge.image == image; });
  };
  const auto compare = [&](Match match) {
    std::vector<Match> alone = {std::move(match)};
    keep_sure(alone);
    if (alone.empty()) return;
    if (auto print = find_print(id, alone.front())) {
      remove_edge(alone.front().image.id);
      found.prints.push_back(std::move(*print));
    } else {
      add(std::move(alone.front()));
    }
  };
  for (std::size_t i = 0; i < candidates.size() && sure < kMostNeighbours; ++i) {
    const auto& [image, score] = candidates[i];
    Verification verified =
        lookalike::verify(query, *shared_.cache.record(image), pairs[i], options_);
    const double weight = static_cast<double>(verified.agreeing.count) * kWeightOfAPair;
    if (weight > 0) {
      add_neighbour({image, std::min(weight, kMostByVotes), EdgeKind::kByVotes}, edges);
    }
    Match& match = verified.match;
    match.evidence.votes = score;
    compare_votes(spread, match.evidence);
    if (!could_be_sure(match)) continue;
    match.probability = shared_.calibration.probability(match.evidence);
    if (may_fill(match.quad, query.width, query.height)) {
      if (found.prints.size() < kMostComparedPrints) {
        compare(std::move(match));
      } else {
        remove_edge(image);
      }
    } else if (is_sure_by_features(query, match)) {
      add(std::move(match));
    } else {
      open.push_back(std::move(match));
    }
    if (copies.size() < kCopiesThatStand) continue;
    std::erase_if(edges, &Neighbour::by_votes);
    add_neighbour({copies.front(), 1, EdgeKind::kStandsIn}, edges);
    return found;
  }
  for (std::size_t i = 0; i < open.size() && sure < kMostNeighbours; ++i) {
    compare(std::move(open[i]));
  }
  return found;
}

FoundNeighbours QueryRun::neighbours(ImageId id, const Matcher::Candidates& candidates,
                                     std::size_t count) {
  const IndexQuery query = input_.words(Look::kFirst);
  const std::vector<RankedImage> shortlist = vote(query, &candidates);
  const auto images = std::span(shortlist).first(std::min(shortlist.size(), count));
  return neighbours_among(id, query, images, pairs_of(query, images), spread_of(shortlist));
}

}  // namespace lookalike
