#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lookalike {

// Signatures that are compared at once, at most.
inline constexpr std::size_t kSignatureBlock = 64;
using SignatureDistances = std::array<std::uint64_t, kSignatureBlock>;

// Compares a signature with the first `count` <= kSignatureBlock of a column: u64 values,
// little-endian and not aligned. Bit i of the result is set where signature i is at most
// `threshold` bits away; distances[i], [0, 64], is set for each i < count. Equal to
// hamming_distance() (base/signature.h) one by one, on the widest vectors that the processor has.
std::uint64_t near_signatures(std::uint64_t signature, const std::uint8_t* column,
                              std::size_t count, std::uint32_t threshold,
                              SignatureDistances& distances);

}  // namespace lookalike
