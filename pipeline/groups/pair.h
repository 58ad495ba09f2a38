#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/geometry.h"
#include "config/options.h"
#include "stages/match/decide/calibration.h"
#include "stages/match/match.h"
#include "stages/match/verify/pose.h"

// Two indexed images that surely show the same thing, and how they relate.
namespace lookalike {

// A pair as it was found. It outlives a change of the calibration, as it holds the evidence.
struct FoundPair {
  std::uint32_t first = 0;  // the one compared earlier, by number in PairState::images
  std::uint32_t second = 0;
  bool mirrored = false;  // first lies in second's mirror image
  bool has_part = false;  // see Match::part
  Evidence evidence{};
  Homography first_to_second{};  // between full-size pixel centres
};

// How two files or images relate, loosest first. From kCrop on they are one picture: their pixels
// agree, see pixels_agree(), and the pose is what editing does to a picture, but for its error; see
// kMostBent.
enum class PairKind {
  kPart,      // they share a small part, and the rest differs: the decision "part"
  kObject,    // both show the same thing, such as from two sides or on a desk, mirrored or not
  kCrop,      // one is cut from the other, or both from one picture
  kMirrored,  // one is the mirror image of the other, or of a piece of it
  kTurned,    // one is the other turned by kLeastTurnDegrees or more, whole or cut
  kCopy,      // whole to whole: other sizes, encodings and light; the decision "duplicate"
  kExact,     // the same bytes
};

// Whether what both show is one picture: the correlation is at least `duplicate_correlation`, and
// either at least kSurelyEqual, or they agree in detail by at least kEqualInDetail. Cartons of one
// brand, or a desk with other things on it, correlate as copies do, but differ in places.
// docs/measurements/quality.md, "Groups".
bool pixels_agree(const Evidence& evidence, double duplicate_correlation);

inline constexpr double kSurelyEqual = 0.97;
inline constexpr double kEqualInDetail = 0.8;
inline constexpr double kLeastTurnDegrees = 5;
// How far the pose of one picture departs from resizing, turning, mirroring and cutting, as a share
// of the diagonal of what both show: the pose's own error. A photo of a picture is taken at an
// angle, and departs further. docs/measurements/quality.md, "Groups".
inline constexpr double kMostBent = 0.003;
// The grey levels by which a cell of a picture may differ from one that replaces it. A label, a
// reflection or another person in the same place makes more.
inline constexpr double kMostDifference = 16;

// "part", "object", "crop", "mirrored", "turned", "copy", "exact"; and back.
std::string_view to_string(PairKind kind);
std::optional<PairKind> pair_kind(std::string_view name);
// All names, closest kind first.
std::vector<std::string_view> pair_kind_names();

// What a found pair means.
struct Relation {
  PairKind kind = PairKind::kObject;
  double probability = 0;
  double first_shown = 0;   // the share of the first image that the second shows
  double second_shown = 0;  // and of the second that the first shows
  double turn_degrees = 0;  // of the first in the second, clockwise as seen, (-180, 180]
  double scale = 1;         // px of the second per px of the first, in the first one's middle
  Quad outline{};           // of the first, in px of the second
  bool one_picture = false;
  std::optional<double> largest_difference{};  // see Evidence

  // The same, seen from the second image; its outline lies in the first.
  Relation reversed(const Homography& first_to_second, PictureSize second) const;
};

Relation relation_of(const FoundPair& pair, PictureSize first, PictureSize second,
                     const Calibration& calibration, const MatchOptions& options);

// Whether the second image can stand for the first: it is the same picture and differs by no more
// than kMostDifference anywhere, shows at least 98 % of the first one's area, which is all of it
// but for the error of a pose, and not noticeably smaller: a copy has at least as many pixels; any
// other has at least 0.95 px per px of the first. Never where one is turned by anything but
// quarters: it was resampled, and which of the two was is unknown.
bool shows_all(const Relation& relation, PictureSize first, PictureSize second);

}  // namespace lookalike
