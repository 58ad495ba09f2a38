#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/artefacts.h"

namespace lookalike {

// A descriptor's coordinates on the axes of a codebook's projection.
using Projections = std::array<float, kSignatureBits>;

// Projects descriptors. Training and lookup both use it, so that they agree to the last bit; the
// axes are transposed, so that all sums run side by side.
class Projector {
 public:
  // Throws Error(kInternal) when the codebook's projection is not [64][d].
  explicit Projector(const Codebook& codebook);
  // Descriptor [d].
  Projections operator()(std::span<const float> descriptor) const;

 private:
  std::vector<float> transposed_;  // [d][64]
};

// 64-bit signatures of descriptors [n][d] under words [n][m] of a codebook of the same d; n may be
// 0, m is words.size() / n. Bit b is set where the projection on axis b is above the word's
// threshold; equal is not above. Returns [n][m], in the order of the words.
// Throws Error(kInternal) on shapes that do not fit or a word that the codebook does not have.
// Method: Jegou, Douze, Schmid, "Hamming embedding and weak geometric consistency", ECCV 2008.
std::vector<std::uint64_t> signatures_of(MatrixView<const float> descriptors,
                                         const Codebook& codebook,
                                         std::span<const std::uint32_t> words);

// The number of bits that differ, [0, 64]. In sums of ever wider fields, since std::popcount is a
// call of a library on an x86-64 that may lack the instruction.
inline unsigned hamming_distance(std::uint64_t a, std::uint64_t b) {
  std::uint64_t bits = a ^ b;
  bits -= bits >> 1U & 0x5555555555555555;
  bits = (bits & 0x3333333333333333) + (bits >> 2U & 0x3333333333333333);
  bits = (bits + (bits >> 4U)) & 0x0F0F0F0F0F0F0F0F;
  return static_cast<unsigned>(bits * 0x0101010101010101 >> 56U);
}

}  // namespace lookalike
