#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lookalike {

// What WordHistograms counts, in plain scalar code; arguments as there.
std::vector<std::uint32_t> histogram_reference(std::span<const std::uint32_t> words,
                                               std::span<const std::uint32_t> offsets,
                                               std::size_t word_count);

}  // namespace lookalike
