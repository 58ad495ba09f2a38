#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lookalike {

// Descriptors [count][dimensions] of unit length in the manner of SURF's: fours of
// (sum dx, sum dy, sum |dx|, sum |dy|), the first two never larger than the last two. For
// self-tests, tests and benchmarks. The same seed gives the same values everywhere; dimensions is a
// multiple of 4.
std::vector<float> synthetic_descriptors(std::size_t count, std::size_t dimensions,
                                         std::uint32_t seed);

}  // namespace lookalike
