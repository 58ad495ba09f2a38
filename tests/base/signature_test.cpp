#include "base/signature.h"

#include <cstddef>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace lookalike {
namespace {

std::uint64_t signature_of(std::span<const float> descriptor, const Codebook& codebook,
                           std::uint32_t word) {
  return signatures_of({descriptor.data(), 1, descriptor.size()}, codebook, {&word, 1}).front();
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Two words with the coordinates as axes; all thresholds are 0.5 and -0.5.
Codebook plain_codebook() {
  Codebook codebook;
  codebook.words.assign(2 * 64, 0);
  codebook.projection.assign(64 * 64, 0);
  for (std::size_t bit = 0; bit < 64; ++bit) codebook.projection[bit * 64 + bit] = 1;
  codebook.thresholds.assign(64, 0.5F);
  codebook.thresholds.resize(128, -0.5F);
  return codebook;
}

TEST(Signature, BitIsSetAboveTheThresholdAndNotOnIt) {
  std::vector<float> descriptor(64, 0);
  descriptor[0] = 0.5F;
  descriptor[1] = 0.6F;
  descriptor[63] = 1;
  EXPECT_EQ(signature_of(descriptor, plain_codebook(), 0), (1ULL << 1) | (1ULL << 63));
}

TEST(Signature, EachWordHasItsOwnThresholds) {
  const std::vector<float> descriptor(64, 0);
  EXPECT_EQ(signature_of(descriptor, plain_codebook(), 0), 0U);
  EXPECT_EQ(signature_of(descriptor, plain_codebook(), 1), ~0ULL);
}

TEST(Signature, ProjectionMixesCoordinates) {
  Codebook codebook = plain_codebook();
  for (float& value : codebook.projection) value = 0;
  codebook.projection[5 * 64 + 2] = 0.6F;  // axis 5
  codebook.projection[5 * 64 + 3] = 0.8F;
  std::vector<float> descriptor(64, 0);
  descriptor[2] = 0.5F;
  EXPECT_EQ(signature_of(descriptor, codebook, 0), 0U);
  descriptor[3] = 0.5F;
  EXPECT_EQ(signature_of(descriptor, codebook, 0), 1ULL << 5);
}

TEST(Signature, SeveralWordsPerDescriptorComeInTheirOrder) {
  std::vector<float> descriptors(2 * 64, 0);
  descriptors[64] = 1;
  const std::vector<std::uint32_t> words = {0, 1, 1, 0};
  EXPECT_THAT(signatures_of({descriptors, 64}, plain_codebook(), words),
              ElementsAre(0U, ~0ULL, ~0ULL, 1U));
}

TEST(Signature, BatchAgreesWithOneAtATimeIn128Dimensions) {
  std::mt19937 random(7);
  const auto fill = [&](std::size_t count) {
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(random() % 2001) / 1000.0F - 1;
    return values;
  };
  const Codebook codebook{128, fill(3 * 128), fill(64 * 128), fill(3 * 64)};
  const std::vector<float> values = fill(10 * 128);
  const MatrixView<const float> descriptors(values, 128);
  const std::vector<std::uint32_t> words = {2, 1, 0, 0, 1, 2, 2, 0, 1, 1};
  const auto signatures = signatures_of(descriptors, codebook, words);
  ASSERT_EQ(signatures.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(signatures[i], signature_of(descriptors.row(i), codebook, words[i]));
  }
}

TEST(Signature, NoDescriptorsGiveNoSignatures) {
  EXPECT_THAT(signatures_of({nullptr, 0, 64}, plain_codebook(), {}), IsEmpty());
}

TEST(Signature, ShapesThatDoNotFitAreBugs) {
  const std::vector<float> descriptors(2 * 64, 0);
  const Codebook codebook = plain_codebook();
  const auto sign = [&](const std::vector<std::uint32_t>& words, std::size_t dimension = 64) {
    return signatures_of({descriptors, dimension}, codebook, words);
  };
  EXPECT_THROW(sign({0, 0, 0}), Error);
  EXPECT_THROW(sign({0, 2}), Error);
  EXPECT_THROW(sign({0}, 128), Error);
}

TEST(HammingDistance, CountsTheBitsThatDiffer) {
  EXPECT_EQ(hamming_distance(0, 0), 0U);
  EXPECT_EQ(hamming_distance(0b1011, 0b0010), 2U);
  EXPECT_EQ(hamming_distance(0, ~0ULL), 64U);
}

}  // namespace
}  // namespace lookalike
