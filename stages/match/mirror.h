#pragma once

#include <vector>

#include "stages/match/match.h"

// Photos mirrored, left and right exchanged.
namespace lookalike {

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
