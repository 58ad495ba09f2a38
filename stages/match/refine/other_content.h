#pragma once

#include <vector>

#include "base/geometry.h"
#include "base/image.h"

// Pages that share their print, such as fills of one form, receipts of one shop and screenshots of
// one program: the frame agrees, the content does not.
namespace lookalike {

// True if a picture shows thin strokes on a bright, empty ground.
bool is_page(const ImageView& picture);

// Compares an image on light ground (is_light) with a photo of it, or of another one with the same
// print, at a longest side of 1,024 px: where text is. Returns the places, surrounded by what
// agrees, where each shows strokes that the other lacks; in full-size px of the scene. What covers
// or cuts the page, a shadow or a reflection, is no such place. The result is empty unless the
// places are another content: at least two on a page that agrees as a whole, at least five
// elsewhere. Figures: docs/measurements/quality.md, "Pages".
//   object_to_scene  between full-size pixel centres; an error of a few pixels is corrected
std::vector<Quad> find_other_content(const ColourImage& object, const ColourImage& scene,
                                     const Homography& object_to_scene);

}  // namespace lookalike
