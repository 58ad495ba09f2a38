#pragma once

#include <optional>

#include "base/geometry.h"
#include "base/image.h"

// Screens and drawings, of which most is the same from state to state: a ticked box and an unticked
// one, two rows of a list.
namespace lookalike {

// True if a picture has flat areas without any noise, as screenshots and drawings have.
bool is_drawn(const ImageView& picture);

// Compares a drawn object with a place that shows it, cell by cell. Returns the middle of the
// largest difference, px of the scene, if the cells agree as two pictures of one screen do and a
// few differ much. Nothing if all agree, if the pictures agree less, as photos do, and if much
// differs, as where another window covers the object.
//   mask             what is 0 in it does not count; as large as the object, or empty
//   object_to_scene  between the pixels of both
std::optional<Point> find_other_state(const ImageView& object, const ImageView& mask,
                                      const ImageView& scene, const Homography& object_to_scene);

}  // namespace lookalike
