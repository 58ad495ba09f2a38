#pragma once

#include <vector>

#include "base/features.h"
#include "stages/match/match.h"

// Photos as a mirror shows them, left and right exchanged.
namespace lookalike {

// What extraction would give for the mirrored photo, without a second one. A SURF descriptor is
// sums of gradients over the cells of a window that is turned with the keypoint; in a mirror the
// window's rows change places and the gradients across them their sign. Signed roots and centring
// keep to that; the gradients' 8-bit pixels and the angle's steps of five degrees are rounded, so
// what extraction gives is near, not the same; further away with 128 values, of which gradients of
// exactly zero enter the other ones in a mirror.
//   width  px of the photo, for keypoints in those px
FeatureSet mirrored(FeatureSet features, double width);

// The photo and its features.
Query mirrored(const Query& query);

// Brings matches of a mirrored photo that is `width` px wide back to the photo itself.
void unmirror(std::vector<Match>& matches, double width);

// The width over which a photo is mirrored, px of its full size: that of its pixels, whose last
// column may be a partial one.
double mirror_width(const DecodedImage& image);

}  // namespace lookalike
