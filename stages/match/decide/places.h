#pragma once

#include <cstddef>
#include <vector>

#include "stages/match/match.h"

namespace lookalike {

// Numbers the places of a width x height px photo in which its matches lie, from 1 on, and returns
// how many there are. A match lies in the first place whose best match it overlaps: within the
// photo, the intersection over union of the outlines is at least kSamePlace. A related image is in
// the place of the image that it is related to, and any other match without a pose in one of its
// own. Matches come best first, so places do as well.
std::size_t number_places(std::vector<Match>& ranked, int width, int height);

// True if matches of the same object or more lie in different places of a width x height px photo.
bool shows_several_things(const std::vector<Match>& judged, int width, int height);

// True if votes alone make the image similar; its probability says nothing.
bool is_guess(const Match& match);

// Drops guesses where something sure was found.
void drop_guesses(std::vector<Match>& matches);

}  // namespace lookalike
