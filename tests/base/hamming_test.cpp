#include "base/hamming.h"

#include <cstring>
#include <hwy/targets.h>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/signature.h"

namespace lookalike {
namespace {

void use_targets(std::int64_t targets) {  // 0: all of the processor
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().DeInit();
}

// Compares the first `count` signatures of a column that begins at an odd address.
void expect_equal_to_one_by_one(std::size_t count, std::uint32_t threshold) {
  Random random(count + 100 * threshold);
  const std::uint64_t wanted = random.bits();
  std::vector<std::uint64_t> signatures(kSignatureBlock);
  for (std::uint64_t& signature : signatures) {
    signature = wanted;
    for (int flips = random.below(50); flips > 0; --flips) signature ^= 1ULL << random.below(64);
  }
  signatures[0] = wanted;
  signatures[1] = ~wanted;
  std::vector<std::uint8_t> column(1 + count * sizeof(std::uint64_t));
  std::memcpy(column.data() + 1, signatures.data(), count * sizeof(std::uint64_t));
  SignatureDistances distances{};
  const std::uint64_t near =
      near_signatures(wanted, column.data() + 1, count, threshold, distances);
  for (std::size_t i = 0; i < kSignatureBlock; ++i) {
    const unsigned distance = hamming_distance(wanted, signatures[i]);
    EXPECT_EQ(near >> i & 1U, i < count && distance <= threshold ? 1U : 0U) << i;
    if (i < count) {
      EXPECT_EQ(distances[i], distance) << i;
    }
  }
}

TEST(NearSignatures, EveryInstructionSetFindsWhatComparisonOneByOneFinds) {
  for (std::int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
    const std::int64_t target = left & -left;
    SCOPED_TRACE(hwy::TargetName(target));
    use_targets(target);
    for (std::size_t count = 0; count <= kSignatureBlock; ++count) {
      for (const std::uint32_t threshold : {0U, 24U, 64U}) {
        expect_equal_to_one_by_one(count, threshold);
      }
    }
    use_targets(0);
  }
}

}  // namespace
}  // namespace lookalike
