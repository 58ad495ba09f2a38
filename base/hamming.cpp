#include "base/hamming.h"

#include <cstring>

// Highway includes this file once for each instruction set, and so compiles the code between
// HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE for each.
#define HWY_WANT_AVX3_DL  // for its instruction that counts bits
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "base/hamming.cpp"  // NOLINT
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lookalike::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

std::uint64_t near_signatures(std::uint64_t signature, const std::uint8_t* column,
                              std::size_t count, std::uint32_t threshold,
                              SignatureDistances& distances) {
  const hn::CappedTag<std::uint64_t, 8> lanes;  // 8 at most: a mask must fit a byte
  const std::size_t step = hn::Lanes(lanes);
  const auto wanted = hn::Set(lanes, signature);
  const auto least_far = hn::Set(lanes, std::uint64_t{threshold} + 1);
  const auto compare = [&](std::size_t i, auto signatures) {
    const auto distance = hn::PopulationCount(hn::Xor(signatures, wanted));
    hn::StoreU(distance, lanes, distances.data() + i);
    std::uint8_t near[8] = {};
    hn::StoreMaskBits(lanes, hn::Lt(distance, least_far), near);
    return std::uint64_t{near[0]} << i;
  };
  std::uint64_t near = 0;
  std::size_t i = 0;
  for (; i + step <= count; i += step) {
    // The column is unaligned.
    const auto* signatures =
        reinterpret_cast<const std::uint64_t*>(column + i * sizeof(std::uint64_t));
    near |= compare(i, hn::LoadU(lanes, signatures));
  }
  if (i < count) {
    std::uint64_t rest[8] = {};
    std::memcpy(rest, column + i * sizeof(std::uint64_t), (count - i) * sizeof(std::uint64_t));
    near |= compare(i, hn::LoadU(lanes, rest)) & ((std::uint64_t{1} << count) - 1);
  }
  return near;
}

}  // namespace lookalike::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lookalike {

HWY_EXPORT(near_signatures);

std::uint64_t near_signatures(std::uint64_t signature, const std::uint8_t* column,
                              std::size_t count, std::uint32_t threshold,
                              SignatureDistances& distances) {
  return HWY_DYNAMIC_DISPATCH(near_signatures)(signature, column, count, threshold, distances);
}

}  // namespace lookalike
#endif
