#pragma once

#include <cstdint>
#include <string>

namespace lookalike {

// Returns a number of bytes for people: "1 kB", "2.3 MB", "4.0 GB". Rounds kB up.
std::string size_text(std::uint64_t bytes);

}  // namespace lookalike
