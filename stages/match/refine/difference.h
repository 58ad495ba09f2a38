#pragma once

#include <algorithm>
#include <vector>

#include "base/geometry.h"

namespace lookalike {

// What shows that two pictures are two shots, of which neither was made from the other. Figures:
// docs/measurements/quality.md, "Two shots".
struct ShotSigns {
  // Share of squares of the brightness, [0, 1], that lie elsewhere than an affine map takes them,
  // which fits most squares. Editing a file moves all of it by one such map; between two shots,
  // near things move against far ones, and a plane is seen at another angle. A square has moved if
  // it agrees clearly better at a place 0.6 px or more away, in pictures of at most 640 px, so that
  // noise and edges without an end move none.
  double moved = 0;
  // Where both show nearly one frame: how far each of them reaches beyond the rim of the other by
  // that map, as a share of the longer side; the smaller of both. What was cut from a picture shows
  // nothing beyond its rim. Else 0.
  double beyond = 0;

  bool are_clear() const { return moved >= kMoved || beyond >= kBeyond; }

  static constexpr double kMoved = 0.05;
  static constexpr double kBeyond = 0.0025;
};

// The differences between two pictures of one thing: other text, a thing erased or pasted in,
// pixels that hide a face, other colours. See compare_pictures().
struct PictureDifference {
  // The largest difference of a cell in brightness and in colour, as multiples of what saving
  // again, resizing and a change of light explain. A person sees those from kSeen on.
  double largest = 0;
  double largest_of_colour = 0;
  // True if one picture has colours that the other lacks all over: a grey or a toned copy.
  bool lacks_colours = false;
  // True if the light or the tone differs as a whole; neither is then a better copy of the other.
  bool is_relit = false;
  double share = 0;  // of the cells that differ
  ShotSigns shots{};
  // Where they differ, in full-size px of the scene, the largest place first; at most kMostPlaces.
  std::vector<Quad> places{};

  bool is_seen() const { return lacks_colours || std::max(largest, largest_of_colour) >= kSeen; }

  static constexpr double kSeen = 2.5;
  static constexpr std::size_t kMostPlaces = 20;
};

}  // namespace lookalike
