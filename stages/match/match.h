#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/artefacts.h"
#include "base/geometry.h"
#include "base/image.h"
#include "stages/match/refine/difference.h"
#include "storage/index_types.h"

namespace lookalike {

// A photo that is looked up.
struct Query {
  std::size_t first_look_features() const {
    return std::min(first_look.value_or(features.size()), features.size());
  }

  DecodedImage image;
  FeatureSet features;  // in full-size px, strongest first, extracted under the index's settings
  // Number of leading features used by the first look; the second look uses all. Unset: both use
  // all. See Matcher.
  std::optional<std::size_t> first_look{};
  std::optional<ImageId> excluded_image{};  // never in the answer: the photo was cut from it
  // Reads the photo in colour, reduced to at most `most_pixels`; unset or empty if it cannot be
  // read again. Thread-safe.
  std::function<ColourImage(double most_pixels)> colours{};
};

// Ratio of a photo's features in the second look to those in the first, if it has enough.
inline constexpr double kSecondLookFeatures = 2.5;
// The same ratio for the words of each feature.
inline constexpr std::size_t kSecondLookWords = 2;

// Evidence that an indexed image answers a query.
struct Evidence {
  double votes = 0;                     // score in the shortlist
  double votes_ratio = 0;               // divided by the median score of the shortlist
  double votes_excess = 0;              // less that median, in interquartile ranges; 0 without one
  std::size_t shortlist = 0;            // images in the shortlist
  std::uint32_t pairs = 0;              // one-to-one pairs of features, before geometry
  double agreeing_votes = 0;            // weight of Verification::agreeing
  std::uint32_t inliers = 0;            // pairs that agree on the pose; 0: there is no pose
  std::uint32_t effective_inliers = 0;  // see Pose
  double coherence = 0;                 // see Pose
  double squeeze = 1;                   // see Pose
  std::optional<double> correlation{};  // pixel correlation at the pose
  std::optional<double> detail{};       // the same cell by cell; see agreement.h
  std::optional<PictureDifference> difference{};  // unset if the files were not compared in full
  // Agreement of the colours, see colour_agreement(); unset if they were not compared, or one of
  // the pictures is grey.
  std::optional<double> colour{};
  // Where a page shows other strokes than the photo, px of the photo; see find_other_content().
  std::vector<Quad> other_content{};
  double exact = 0;  // share of cells that agree exactly, see share_of_exact()
  // How well the photo agrees with the image in its distinctive cells, and in those that it shares
  // with its print: mean correlations, [-1, 1]; see PrintAgreement. Unset if the image has no such
  // cells, or the photo shows too few of them.
  std::optional<double> own_agreement{};
  std::optional<double> shared_agreement{};
  bool is_page = false;    // with own_agreement: the image shows strokes on light ground
  bool identical = false;  // both pictures, whole and reduced alike, have equal pixels
};

// Decisions about a match, weakest first; see decide().
enum class Decision { kNone, kRelated, kSimilar, kPart, kSameObject, kVariant, kDuplicate };

// "none", "related", "similar", "part", "same_object", "variant", "duplicate".
std::string_view to_string(Decision decision);

// True if the decision is sure; commands count such a match as found.
constexpr bool is_found(Decision decision) {
  return decision >= Decision::kPart;
}

// Where an indexed image lies in a query, in full-size px.
struct MatchPose {
  Homography object_to_query;  // between pixel centres
  Quad quad{};
  std::optional<double> moved_px;             // furthest move of a corner by refining
  std::vector<PointPair> inlier_pairs;        // of the image and the query
  std::vector<std::uint32_t> query_features;  // number of the query's feature in each inlier pair
  bool mirrored = false;  // found in the mirrored query: the quad runs anticlockwise
  // The region of the query that contains all agreement; set only if it covers part of the image.
  // See shared_part().
  std::optional<Quad> part{};
};

// An indexed image that a query shows or resembles.
struct Match {
  StoredImage image;
  Evidence evidence;
  double score = 0;        // ranks the matches; see ranking_score
  double probability = 0;  // that it shows what the query shows
  Decision decision = Decision::kNone;
  MatchPose pose;                 // empty without has_pose()
  std::vector<std::string> gone;  // the image.paths whose file is missing
  // Another image of its print in the same place: the photo lacks what sets this one apart from it.
  // See tell_rivals_apart().
  std::optional<StoredImage> rival{};
  bool rejected = false;  // by a person; see mark_rejected() in pipeline/duplicates/rejections.h

  // Number of its place in the photo, from 1; see number_places().
  std::size_t place = 0;

  // What reached the image over the neighbour graph; see diffuse().
  double flow = 0;
  // Set for kRelated: the chain that leads to this image from one that the query surely shows. Each
  // image of it shows the same thing as the next, and the last as this one.
  std::vector<StoredImage> via{};

  bool has_pose() const { return evidence.inliers > 0 || evidence.identical; }
};

// Accepts the matches with a pose that are to be compared by pixels; empty: all. Called on the
// caller's thread with the evidence of the features alone, perhaps several times for a match; the
// result must depend on the match alone.
using IsCompared = std::function<bool(const Match&)>;

// Returns the match of an image, or the end of the matches.
inline auto find_match(auto& matches, ImageId image) {
  return std::ranges::find(matches, image, [](const Match& match) { return match.image.id; });
}

// Returns the file that names a match: the first that exists, else the first.
const std::string& path_of(const Match& match);

// Moves poses, outlines and pairs to another picture of the same scene. The map takes pixel centres
// of the query to those of that picture.
void move_matches(std::vector<Match>& matches, const Homography& query_to_other);

// Durations of the steps of one query, ms.
struct MatchTimes {
  double words = 0;      // features to words
  double shortlist = 0;  // votes
  double verify = 0;     // records, pairs and poses
  double refine = 0;     // pixels
  double relate = 0;     // the neighbour graph
};

// The answer to a query.
struct QueryResult {
  std::vector<Match> matches;  // best first, of the first options.top places
  // Beyond options.top too: all reported matches, the number that is_found() counts, and places.
  std::size_t total = 0;
  std::size_t found = 0;
  std::size_t places = 0;
  MatchTimes times{};
};

// Returns the features of the mirrored photo without extracting them again. A SURF descriptor sums
// gradients over the cells of a window turned with the keypoint; a mirror swaps the window's rows
// and negates the gradients across them. Signed roots commute with that. Extraction from the
// mirrored photo gives features near these, not equal: it rounds gradients' pixels to 8 bits and
// the angle to steps of five degrees. With 128 values they differ more, since gradients of exactly
// zero change sides.
//   width  of the photo, in the px of its keypoints
FeatureSet mirrored(FeatureSet features, double width);

// Returns the mirrored photo with its features.
Query mirrored(const Query& query);

// Moves matches of a mirrored photo, `width` px wide, back to the photo.
void unmirror(std::vector<Match>& matches, double width);

// Returns the width over which a photo is mirrored, full-size px: the extent of its pixels,
// including a partial last one.
double mirror_width(const DecodedImage& image);

}  // namespace lookalike
