#include "stages/match/neighbours.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/work_limits.h"
#include "stages/match/decide/decision.h"
#include "stages/match/pixel_comparison.h"
#include "stages/match/query_input.h"
#include "stages/match/refine/prints.h"
#include "stages/match/shared_search.h"
#include "stages/match/verify/verification.h"

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
  if (lies_inside(match.pose.quad, width, height)) return EdgeKind::kInside;
  const Quad back = outline(match.pose.object_to_query.inverse(), width, height);
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
  for (const PointPair& pair : match.pose.inlier_pairs) {
    x.push_back(pair.object.x);
    y.push_back(pair.object.y);
  }
  const Quad back = outline(match.pose.object_to_query.inverse(), width, height);
  const Extent across = visible({back[0].x, back[1].x, back[2].x, back[3].x}, match.image.width);
  const Extent down = visible({back[0].y, back[1].y, back[2].y, back[3].y}, match.image.height);
  const double shown = across.length() * down.length();
  if (shown <= 0) return 0;
  return spanned(std::move(x)) * spanned(std::move(y)) / shown;
}

// The search for the neighbours of one image.
class NeighbourFinder {
 public:
  NeighbourFinder(SharedSearch& shared, QueryInput& input, ImageId id, const IndexQuery& query)
      : shared_(shared),
        input_(input),
        id_(id),
        query_(query),
        pixels_(shared, input, PixelSteps::kPose) {}

  FoundNeighbours find(const NeighbourCandidates& candidates);

 private:
  void add_by_votes(ImageId image, const AgreeingPairs& agreeing);
  void sort_in(Match match);
  void add(const Match& match);
  void compare(Match match);
  void remove_edge(ImageId image);
  bool is_sure_by_features(const Match& match) const;
  bool may_be_print(const Match& match);
  std::optional<PrintPairEdges> find_print(const Match& match);

  SharedSearch& shared_;
  QueryInput& input_;
  const ImageId id_;
  const IndexQuery& query_;
  PixelComparison pixels_;
  FoundNeighbours found_;
  std::vector<ImageId> copies_;
  std::vector<Match> open_;  // not sure by features; compared at the end
  std::size_t sure_ = 0;     // edges
};

FoundNeighbours NeighbourFinder::find(const NeighbourCandidates& candidates) {
  for (std::size_t i = 0; i < candidates.ranked.size() && sure_ < kMostNeighbours; ++i) {
    const auto& [image, score] = candidates.ranked[i];
    Verification verified =
        verify(query_, *shared_.cache.record(image), candidates.pairs[i], shared_.options);
    add_by_votes(image, verified.agreeing);
    Match& match = verified.match;
    match.evidence.votes = score;
    compare_votes(candidates.spread, match.evidence);
    if (!pixels_.could_be_sure(match)) continue;
    match.probability = shared_.calibration.probability(match.evidence);
    sort_in(std::move(match));
    if (copies_.size() < kCopiesThatStand) continue;
    std::erase_if(found_.edges, &Neighbour::by_votes);
    add_neighbour({copies_.front(), 1, EdgeKind::kStandsIn}, found_.edges);
    return std::move(found_);
  }
  for (std::size_t i = 0; i < open_.size() && sure_ < kMostNeighbours; ++i) {
    compare(std::move(open_[i]));
  }
  return std::move(found_);
}

void NeighbourFinder::add_by_votes(ImageId image, const AgreeingPairs& agreeing) {
  const double weight = static_cast<double>(agreeing.count) * kWeightOfAPair;
  if (weight <= 0) return;
  add_neighbour({image, std::min(weight, kMostByVotes), EdgeKind::kByVotes}, found_.edges);
}

// Compares a possible copy or print by pixels, and adds another match if its features are enough.
void NeighbourFinder::sort_in(Match match) {
  if (may_fill(match.pose.quad, query_.width, query_.height)) {
    if (found_.prints.size() < kMostComparedPrints) {
      compare(std::move(match));
    } else {
      remove_edge(match.image.id);
    }
  } else if (is_sure_by_features(match)) {
    add(match);
  } else {
    open_.push_back(std::move(match));
  }
}

// Adds the edge to a match, unless that is a part.
void NeighbourFinder::add(const Match& match) {
  const Decision decision = decide(match, query_.width, query_.height, shared_.options);
  if (decision == Decision::kPart) return;
  sure_ += match.probability >= kSure ? 1 : 0;
  if (decision == Decision::kDuplicate) copies_.push_back(match.image.id);
  add_neighbour({match.image.id, match.probability, kind_of(match, query_.width, query_.height)},
                found_.edges);
}

// Compares a match by pixels; adds it if it is sure, or the edges of its print.
void NeighbourFinder::compare(Match match) {
  std::vector<Match> alone = {std::move(match)};
  pixels_.keep_sure(alone);
  if (alone.empty()) return;
  if (auto print = find_print(alone.front())) {
    remove_edge(alone.front().image.id);
    found_.prints.push_back(std::move(*print));
  } else {
    add(alone.front());
  }
}

void NeighbourFinder::remove_edge(ImageId image) {
  std::erase_if(found_.edges, [&](const Neighbour& edge) { return edge.image == image; });
}

// True if the features of a match, which has a pose, are enough for an edge: it is probable, and
// many of its pairs are inliers that span more than a small part. Pixels would hardly change it.
bool NeighbourFinder::is_sure_by_features(const Match& match) const {
  const Evidence& evidence = match.evidence;
  return shared_.calibration.probability(evidence) >= kSure &&
         evidence.inliers >= kLeastInliers * evidence.pairs &&
         span_of(match, query_.width, query_.height) >= kLeastSpan;
}

// True if the match may share a print with the query, by its pose and the brightness of both. Their
// colours decide.
bool NeighbourFinder::may_be_print(const Match& match) {
  const ImageRecord& own = input_.picture()->record;
  const auto may_share = [&](bool light) {
    return may_share_print({match.image.width, match.image.height}, {own.width, own.height},
                           match.pose.object_to_query, light);
  };
  if (may_share(false)) return true;
  if (!may_share(true) || !may_be_light(input_.picture()->pixels.view())) return false;
  const auto image = shared_.cache.picture(match.image);
  return *image && may_be_light((*image)->pixels.view());
}

// Returns the edges between the image that is looked up and a match; nothing if they are not of one
// print with other content.
std::optional<PrintPairEdges> NeighbourFinder::find_print(const Match& match) {
  constexpr double kLeastExact = 0.04;  // share of cells
  const Evidence& evidence = match.evidence;
  if (evidence.exact < kLeastExact || evidence.identical) return std::nullopt;
  if (!may_be_print(match)) return std::nullopt;
  check_time();
  const auto image = shared_.cache.colours(match.image, ColourSize::kReduced);
  const double inlier_share = static_cast<double>(evidence.inliers) / std::max(1U, evidence.pairs);
  auto pair = compare_prints(*image, input_.colours(ColourSize::kReduced),
                             match.pose.object_to_query, inlier_share);
  if (!pair) return std::nullopt;
  return PrintPairEdges{{match.image.id, pair->agreement, std::move(pair->of_second)},
                        {id_, pair->agreement, std::move(pair->of_first)}};
}

}  // namespace

FoundNeighbours find_neighbours(SharedSearch& shared, QueryInput& input, ImageId id,
                                const IndexQuery& query, const NeighbourCandidates& candidates) {
  return NeighbourFinder(shared, input, id, query).find(candidates);
}

}  // namespace lookalike
