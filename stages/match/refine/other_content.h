#pragma once

#include <vector>

#include "base/geometry.h"
#include "base/image.h"

// Pages that share their print, such as filled copies of one form, receipts of one shop and
// screenshots of one program: the frame agrees, the content does not.
namespace lookalike {

// True if a picture shows thin strokes on a bright, empty ground.
bool is_page(const ImageView& picture);

// Compares an image on light ground (is_light) with a photo of it, or of another image with the
// same print, at a longest side of 1,024 px, at which text shows. Returns the places, in full-size
// px of the scene, where each has strokes that the other lacks and what surrounds them agrees; so
// objects that cover or cut the page, shadows and reflections are no such places. The result is
// empty unless there are at least two places on a page that agrees as a whole, and at least five
// elsewhere, and if little of the image is empty ground, as on a light wall. Figures:
// docs/measurements/quality.md, "Pages".
//   object_to_scene  between full-size pixel centres; an error of a few pixels is corrected
std::vector<Quad> find_other_content(const ColourImage& object, const ColourImage& scene,
                                     const Homography& object_to_scene);

}  // namespace lookalike
