#pragma once

#include <optional>

#include "base/geometry.h"
#include "base/image.h"
#include "stages/match/refine/difference.h"

namespace lookalike {

// Compares two pictures in the resolution of the poorer one, cell by cell of kCellPx. The squared
// difference of the brightness, after the change of light, is set against the variance of the cell,
// and that of the colour likewise, so that a cell of text may differ by more than one of sky. Small
// shifts of a cell are no difference, and neither is a loss of detail that the whole picture
// shares. What shows two shots is looked for (look_for_shots()). What is transparent in both is not
// compared; what is so in one alone is a difference. Returns nothing if too little can be compared.
// Figures: docs/measurements/quality.md, "Differences".
//   object_to_scene  between full-size pixel centres; an error of a few pixels is corrected
std::optional<PictureDifference> compare_pictures(const ColourImage& object,
                                                  const ColourImage& scene,
                                                  const Homography& object_to_scene);

inline constexpr int kCellPx = 16;

}  // namespace lookalike
