#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/artefacts.h"
#include "base/geometry.h"
#include "storage/index_types.h"

namespace lookalike {

// A photo that is looked up.
struct Query {
  std::size_t first_look_features() const {
    return std::min(first_look.value_or(features.size()), features.size());
  }

  DecodedImage image;
  FeatureSet features;  // in full-size px, strongest first, extracted under the index's settings
  // So many features, the first, are those of a first look; a second look takes all. Nothing: both
  // take all. See Matcher.
  std::optional<std::size_t> first_look{};
  std::optional<ImageId> excluded_image{};  // never an answer: the one that the photo is cut from
};

// Features of a photo's second look for each one of its first, if the photo has so many.
inline constexpr double kSecondLookFeatures = 2.5;
// The same for the words of each feature.
inline constexpr std::size_t kSecondLookWords = 2;

// The evidence for an indexed image as an answer to a query.
struct Evidence {
  double votes = 0;                     // its score in the shortlist
  double votes_ratio = 0;               // over the median score of the shortlist
  double votes_excess = 0;              // over that median, in interquartile ranges; 0 without one
  std::size_t shortlist = 0;            // images in the shortlist
  std::uint32_t pairs = 0;              // one-to-one pairs of features, before geometry
  std::uint32_t inliers = 0;            // pairs that agree on the pose; 0: there is no pose
  std::uint32_t effective_inliers = 0;  // see Pose
  double coherence = 0;                 // see Pose
  double squeeze = 1;                   // see Pose
  std::optional<double> correlation{};  // of the pixels at the pose
  std::optional<double> detail{};       // of the same pixels, cell by cell; see agreement.h
  std::optional<double> largest_difference{};  // of a cell of them, in grey levels; see there
  bool identical = false;  // each whole and reduced alike, both pictures are equal
};

// The decision about a match, weakest first; see decision.h.
enum class Decision { kNone, kSimilar, kPart, kSameObject, kDuplicate };

// "none", "similar", "part", "same_object", "duplicate".
std::string_view to_string(Decision decision);

// Whether a decision is sure, so that commands count the match as found.
constexpr bool is_found(Decision decision) {
  return decision >= Decision::kPart;
}

// An indexed image that was found in a query, or that looks like it.
struct Match {
  StoredImage image;
  Evidence evidence;
  double score = 0;        // matches are ranked by it; see ranking_score
  double probability = 0;  // that it shows what the query shows
  Decision decision = Decision::kNone;
  // Where it lies in the query; unset without a pose.
  Homography object_to_query;  // between full-size pixel centres
  Quad quad{};
  std::optional<double> moved_px;       // how far the pixels moved the corner that they moved most
  std::vector<PointPair> inlier_pairs;  // full-size px
  // The number of the query's feature in each inlier pair; with query expansion, numbers past the
  // query's own features are of the images that it was expanded by.
  std::vector<std::uint32_t> query_features;
  std::vector<std::string> gone;  // of image.paths, those that lead to no file any more
  bool mirrored = false;          // found in the mirrored query: its quad runs anticlockwise
  bool rejected = false;  // by a person; see mark_rejected() in pipeline/groups/rejections.h

  // The region of the query in which all agreement lies, if it is but a part; see agreement.h.
  std::optional<Quad> part{};

  bool has_pose() const { return evidence.inliers > 0 || evidence.identical; }
};

// Returns the match of an image, or the end of the matches.
inline auto find_match(auto& matches, ImageId image) {
  return std::ranges::find(matches, image, [](const Match& match) { return match.image.id; });
}

// The file that a match is named by: the first that exists, or the first of all.
const std::string& path_of(const Match& match);

// Carries poses, outlines and pairs over to another picture of the same scene; the map takes pixel
// centres of the query to those of that picture.
void move_matches(std::vector<Match>& matches, const Homography& query_to_other);

// Milliseconds that the steps of one query took.
struct MatchTimes {
  double words = 0;      // features to words
  double shortlist = 0;  // votes
  double verify = 0;     // forward records, pairs and poses
  double expand = 0;     // query expansion
  double refine = 0;     // correlation
};

// The answer to a query.
struct QueryResult {
  std::vector<Match> matches;  // best first, at most options.top
  // Also beyond those: all that options.min_decision includes, and of these the ones that
  // is_found() counts.
  std::size_t total = 0;
  std::size_t found = 0;
  MatchTimes times{};
};

// The features of the mirrored photo, without a second extraction. A SURF descriptor is sums of
// gradients over the cells of a window that is turned with the keypoint; in a mirror the window's
// rows change places and the gradients across them their sign. Signed roots and centring commute
// with that. Extraction rounds the gradients' 8-bit pixels and the angle to steps of five degrees,
// so its own features are near these, not equal; further away with 128 values, where gradients of
// exactly zero change sides.
//   width  px of the photo, for keypoints in those px
FeatureSet mirrored(FeatureSet features, double width);

// The photo and its features.
Query mirrored(const Query& query);

// Brings matches of a mirrored photo that is `width` px wide back to the photo itself.
void unmirror(std::vector<Match>& matches, double width);

// The width over which a photo is mirrored, full-size px: that of its pixels, whose last column may
// be a partial one.
double mirror_width(const DecodedImage& image);

}  // namespace lookalike
