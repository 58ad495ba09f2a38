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

// Pairs of indexed images that surely show the same thing, and how they relate.
namespace lookalike {

// A pair as found. Stays valid when the calibration changes, because it holds the evidence.
struct FoundPair {
  std::uint32_t first = 0;  // the image compared earlier, by number in PairState::images
  std::uint32_t second = 0;
  bool mirrored = false;  // the first matches the mirror image of the second
  bool has_part = false;  // see Match::part
  // Compared to know whether one may go for the other: no reason to group them. Without a pose if
  // they do not surely show the same.
  bool is_check = false;
  Evidence evidence{};
  Homography first_to_second{};  // between full-size pixel centres
};

// How two files or images relate, loosest first. From kVariant on, pixels_agree() holds, editing
// can explain the pose up to its error (kMostBent), and they are not two shots
// (ShotSigns::are_clear()); from kCrop on they are one picture.
enum class PairKind {
  kPart,      // they share a small part: the decision "part"
  kObject,    // both show the same thing, for example in two shots, mirrored or not
  kVariant,   // one picture, but a person sees a difference; see PictureDifference
  kCrop,      // one is cut from the other, or both from one picture
  kMirrored,  // one is the mirror image of the other or of a piece of it
  kTurned,    // one is the other or a piece of it, turned by kLeastTurnDegrees or more
  kCopy,      // the whole picture in another size, encoding or light: the decision "duplicate"
  kExact,     // the same bytes
};

// True if the common region of both is one picture: the correlation is at least
// `duplicate_correlation`, and it is at least kSurelyEqual or the detail at least kEqualInDetail.
// Cartons of one brand, or a desk with other things on it, correlate like copies but differ in
// places. docs/measurements/quality.md, "Groups".
bool pixels_agree(const Evidence& evidence, double duplicate_correlation);

inline constexpr double kSurelyEqual = 0.97;
inline constexpr double kEqualInDetail = 0.8;
inline constexpr double kLeastTurnDegrees = 5;
// The error of a pose of one picture: how far it departs from resizing, turning, mirroring and
// cutting, as a share of the diagonal of the common region. A photo of a picture is taken at an
// angle and departs further. docs/measurements/quality.md, "Groups".
inline constexpr double kMostBent = 0.003;

// "part", "object", "variant", "crop", "mirrored", "turned", "copy", "exact"
std::string_view to_string(PairKind kind);
// Returns the kind with this name, if any.
std::optional<PairKind> pair_kind(std::string_view name);
// Returns all names, closest kind first.
std::vector<std::string_view> pair_kind_names();

// The meaning of a found pair.
struct Relation {
  PairKind kind = PairKind::kObject;
  double probability = 0;
  double first_shown = 0;   // share of the first image that the second shows
  double second_shown = 0;  // share of the second image that the first shows
  double turn_degrees = 0;  // turn of the first in the second, clockwise, (-180, 180]
  double scale = 1;         // px of the second per px of the first, in the middle of the first
  Quad outline{};           // the first image's, in px of the second
  std::optional<PictureDifference> difference{};  // see Evidence

  // Returns the relation of the second image to the first, with the outline in the first.
  Relation reversed(const Homography& first_to_second, PictureSize second) const;
};

Relation relation_of(const FoundPair& pair, PictureSize first, PictureSize second,
                     const Calibration& calibration, const MatchOptions& options);

// Returns what the second image does not show of the first; empty if it can replace it: it is the
// same picture in the same light, was compared in full, shows at least kWholeShare of the first
// one's area, and is not noticeably smaller: a copy has at least as many pixels (else
// kHasMorePixels), any other at least 0.95 px per px of the first. Nothing replaces an image that
// is turned by anything but quarter turns: one of the two was resampled, and which one is unknown.
std::string_view what_is_hidden(const Relation& relation, PictureSize first, PictureSize second);

// Returns the orientation of EXIF that makes the first image upright as the second is: 1 for a
// copy. Nothing unless both are one picture, whole, and not turned but by quarter turns.
std::optional<int> orientation_of_whole(const Relation& relation);

inline constexpr std::string_view kHasMorePixels = "has more pixels than the other";
inline constexpr std::string_view kDiffers = "differs from the other in places";
inline constexpr std::string_view kHasOtherColours = "has other colours than the other";
// The share that counts as all: the pose of an exact crop has an error.
inline constexpr double kWholeShare = 0.98;

}  // namespace lookalike
