#include "base/signature.h"

#include <cstddef>

#include "base/error.h"

namespace lookalike {
namespace {

void check_shapes(MatrixView<const float> descriptors, const Codebook& codebook,
                  std::span<const std::uint32_t> words) {
  require(descriptors.cols() == codebook.descriptor_size,
          "signatures_of: the descriptors are not of the codebook's size");
  require(codebook.projection.size() == kSignatureBits * codebook.descriptor_size &&
              codebook.thresholds.size() == kSignatureBits * codebook.size(),
          "signatures_of: the codebook is incomplete");
  require(descriptors.empty() ? words.empty() : words.size() % descriptors.rows() == 0,
          "signatures_of: words is not a multiple of the descriptors");
  for (const std::uint32_t word : words) {
    require(word < codebook.size(), "signatures_of: a word is not in the codebook");
  }
}

std::uint64_t compare(const Projections& projections, const float* thresholds) {
  std::uint64_t signature = 0;
  for (std::size_t bit = 0; bit < kSignatureBits; ++bit) {
    signature |= static_cast<std::uint64_t>(projections[bit] > thresholds[bit]) << bit;
  }
  return signature;
}

}  // namespace

Projector::Projector(const Codebook& codebook) : transposed_(codebook.projection.size()) {
  const std::size_t size = codebook.descriptor_size;
  require(transposed_.size() == kSignatureBits * size, "Projector: the projection is not [64][d]");
  for (std::size_t bit = 0; bit < kSignatureBits; ++bit) {
    for (std::size_t i = 0; i < size; ++i) {
      transposed_[i * kSignatureBits + bit] = codebook.projection[bit * size + i];
    }
  }
}

Projections Projector::operator()(std::span<const float> descriptor) const {
  Projections sums{};
  for (std::size_t i = 0; i < descriptor.size(); ++i) {
    const float* row = transposed_.data() + i * kSignatureBits;
    for (std::size_t bit = 0; bit < kSignatureBits; ++bit) sums[bit] += descriptor[i] * row[bit];
  }
  return sums;
}

std::vector<std::uint64_t> signatures_of(MatrixView<const float> descriptors,
                                         const Codebook& codebook,
                                         std::span<const std::uint32_t> words) {
  check_shapes(descriptors, codebook, words);
  std::vector<std::uint64_t> signatures;
  if (words.empty()) return signatures;
  signatures.reserve(words.size());
  const Projector project(codebook);
  const std::size_t words_each = words.size() / descriptors.rows();
  for (std::size_t i = 0; i < descriptors.rows(); ++i) {
    const Projections projections = project(descriptors.row(i));
    for (const std::uint32_t word : words.subspan(i * words_each, words_each)) {
      signatures.push_back(
          compare(projections, codebook.thresholds.data() + word * kSignatureBits));
    }
  }
  return signatures;
}

}  // namespace lookalike
