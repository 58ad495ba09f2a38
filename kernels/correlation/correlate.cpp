// Correlation::correlate, whose two images meet in one position only.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "kernels/correlation/correlation.h"

namespace lookalike {
namespace {

// See pair_sums.cl: 2^16 blocks of 8 pixels an item at most.
constexpr std::size_t kPairSums = 6;
constexpr std::size_t kMaxBlocksPerItem = std::size_t{1} << 16;
constexpr std::size_t kMaxItems = 4096;
constexpr std::size_t kGroup = 64;

// n Sab - Sa Sb and its like, from sums that no image fits into memory to overflow.
__extension__ using Wide = __int128;

std::optional<float> correlation_of(const std::array<std::uint64_t, kPairSums>& sums) {
  const auto [count, sum_a, sum_b, square_a, square_b, product] = sums;
  const auto moment = [n = count](std::uint64_t both, std::uint64_t one, std::uint64_t other) {
    return static_cast<double>(static_cast<Wide>(n) * both - static_cast<Wide>(one) * other);
  };
  const double spread_a = moment(square_a, sum_a, sum_a);
  const double spread_b = moment(square_b, sum_b, sum_b);
  if (spread_a == 0 || spread_b == 0) return std::nullopt;
  const double rho = moment(product, sum_a, sum_b) / (std::sqrt(spread_a) * std::sqrt(spread_b));
  return static_cast<float>(std::clamp(rho, -1.0, 1.0));
}

}  // namespace

std::optional<float> Correlation::correlate(const ImageView& a, const ImageView& b,
                                            const ImageView& mask) {
  require(a.width == b.width && a.height == b.height,
          "Correlation::correlate: the images differ in size");
  require(mask.empty() || (mask.width == a.width && mask.height == a.height),
          "Correlation::correlate: the mask differs in size from the images");
  if (a.empty()) return std::nullopt;
  const std::size_t blocks = (a.size() + 7) / 8;
  const std::size_t items =
      round_up(std::max(std::min(blocks, kMaxItems), blocks / kMaxBlocksPerItem + 1), kGroup);
  reserve(images_, blocks * 8);
  reserve(patterns_, blocks * 8);
  reserve(map_, blocks * 8);
  reserve(sums_, items * kPairSums * sizeof(cl_ulong));
  session_.write<std::uint8_t>(images_.buffer, {a.pixels, a.size()});
  session_.write<std::uint8_t>(patterns_.buffer, {b.pixels, b.size()});
  if (!mask.empty()) session_.write<std::uint8_t>(map_.buffer, {mask.pixels, mask.size()});
  set_arguments(pair_sums_, images_.buffer, patterns_.buffer, map_.buffer,
                static_cast<cl_int>(!mask.empty()), static_cast<cl_ulong>(a.size()), sums_.buffer);
  session_.launch(pair_sums_, "pair_sums", {items}, cl::NDRange(kGroup));
  std::vector<cl_ulong> partial(items * kPairSums);
  session_.read<cl_ulong>(sums_.buffer, partial);
  std::array<std::uint64_t, kPairSums> sums{};
  for (std::size_t i = 0; i < partial.size(); ++i) sums[i % kPairSums] += partial[i];
  return correlation_of(sums);
}

}  // namespace lookalike
