#pragma once

#include <algorithm>
#include <vector>

#include "base/geometry.h"

namespace lookalike {

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
  // Where they differ, in full-size px of the scene, the largest place first; at most kMostPlaces.
  std::vector<Quad> places{};

  bool is_seen() const { return lacks_colours || std::max(largest, largest_of_colour) >= kSeen; }

  static constexpr double kSeen = 2.5;
  static constexpr std::size_t kMostPlaces = 20;
};

}  // namespace lookalike
