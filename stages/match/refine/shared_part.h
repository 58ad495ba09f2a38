#pragma once

#include <optional>
#include <span>

#include "stages/match/match.h"
#include "stages/match/refine/detail.h"

namespace lookalike {

// The region that two views share when they share no more: a logo, a band, a seal. It is the box of
// the features that agree, where the pixels around each agree too. Nothing when
//   - the rest agrees as well, or
//   - the region is too large for a part of something else: what is seen of an object that is half
//     covered, or folded, is more.
//   cells           of the two views, see detail.h
//   features        positions in the object's view that agree with the scene, px
//   width, height   of the views, px
// The outline is in px of the views. Thresholds: EXPERIMENTS.md,
// "Parts".
std::optional<Quad> shared_part(std::span<const DetailCell> cells, std::span<const Point> features,
                                int width, int height);

}  // namespace lookalike
