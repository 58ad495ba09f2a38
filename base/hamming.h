#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace lookalike {

// Maximum number of signatures compared at once.
inline constexpr std::size_t kSignatureBlock = 64;
using SignatureDistances = std::array<std::uint64_t, kSignatureBlock>;

// Compares a signature with the first `count` <= kSignatureBlock of a column: u64 values,
// little-endian, unaligned. Sets bit i of the result if signature i is at most `threshold` bits
// away, and distances[i], [0, 64], for each i < count. Equal to hamming_distance()
// (base/signature.h), on the widest vectors of the processor.
std::uint64_t near_signatures(std::uint64_t signature, const std::uint8_t* column,
                              std::size_t count, std::uint32_t threshold,
                              SignatureDistances& distances);

// Calls visit(i) for each bit that is set, ascending.
template <typename Visit>
void for_each_bit(std::uint64_t bits, Visit visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<std::size_t>(std::countr_zero(bits)));
}

}  // namespace lookalike
