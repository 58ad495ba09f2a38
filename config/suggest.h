#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lookalike {

// How many letters have to be put in, taken out or changed to make a into b.
// Method: Wagner and Fischer, "The string-to-string correction problem", JACM 1974.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The known name that `name` was most likely meant to be (ties: the first), or empty when none is
// near: more than a third of its letters, or of the known name's, would have to change.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace lookalike
