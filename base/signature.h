#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/artefacts.h"

namespace lookalike {

// Coordinates of a descriptor on the axes of a codebook's projection.
using Projections = std::array<float, kSignatureBits>;

// Projects descriptors. Used by training and lookup, so that they agree to the last bit. The axes
// are transposed, so that all sums are vectorised.
class Projector {
 public:
  // Throws Error(kInternal) if the codebook's projection is not [64][d].
  explicit Projector(const Codebook& codebook);
  // Projects a descriptor [d].
  Projections operator()(std::span<const float> descriptor) const;

 private:
  std::vector<float> transposed_;  // [d][64]
};

// Returns the 64-bit signatures [n][m] of descriptors [n][d] for words [n][m] of a codebook; n may
// be 0, m is words.size() / n. Bit b is set if the projection on axis b is above the word's
// threshold, not if equal. Throws Error(kInternal) on shapes that do not fit and unknown words.
// Method: Jegou, Douze, Schmid, "Hamming embedding and weak geometric consistency", ECCV 2008.
std::vector<std::uint64_t> signatures_of(MatrixView<const float> descriptors,
                                         const Codebook& codebook,
                                         std::span<const std::uint32_t> words);

// Returns the number of different bits, [0, 64], by sums of ever wider fields: std::popcount is a
// library call for x86-64 processors that may lack the instruction.
inline unsigned hamming_distance(std::uint64_t a, std::uint64_t b) {
  std::uint64_t bits = a ^ b;
  bits -= bits >> 1U & 0x5555555555555555;
  bits = (bits & 0x3333333333333333) + (bits >> 2U & 0x3333333333333333);
  bits = (bits + (bits >> 4U)) & 0x0F0F0F0F0F0F0F0F;
  return static_cast<unsigned>(bits * 0x0101010101010101 >> 56U);
}

}  // namespace lookalike
