#include "kernels/tuning/tuning.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

namespace lookalike {
namespace {

double logarithm(std::uint64_t size) {
  return std::log2(static_cast<double>(std::max<std::uint64_t>(size, 1)));
}

std::optional<std::string> fastest_in(const TuningFile& file, std::string_view kernel,
                                      const TuningSizes& sizes,
                                      std::span<const std::string> variants) {
  using Rank = std::tuple<double, TuningSizes, double, std::size_t>;
  std::optional<Rank> best;
  for (const Measurement& measurement : file.measurements) {
    const auto variant = std::find(variants.begin(), variants.end(), measurement.variant);
    if (measurement.kernel != kernel || variant == variants.end()) continue;
    const double octaves = octaves_between(measurement.sizes, sizes);
    if (std::isinf(octaves)) continue;
    const Rank rank{octaves, measurement.sizes, measurement.ms,
                    std::distance(variants.begin(), variant)};
    if (!best || rank < *best) best = rank;
  }
  if (!best) return std::nullopt;
  return variants[std::get<std::size_t>(*best)];
}

}  // namespace

double octaves_between(const TuningSizes& a, const TuningSizes& b) {
  if (a.size() != b.size()) return INFINITY;
  double sum = 0;
  for (auto one = a.begin(), other = b.begin(); one != a.end(); ++one, ++other) {
    if (one->first != other->first) return INFINITY;
    sum += std::pow(logarithm(one->second) - logarithm(other->second), 2);
  }
  return std::sqrt(sum);
}

std::optional<std::string> Tuning::fastest(std::string_view kernel, const TuningSizes& sizes,
                                           std::span<const std::string> variants) const {
  for (const TuningFile& file : files_) {
    if (const auto found = fastest_in(file, kernel, sizes, variants)) return found;
  }
  return std::nullopt;
}

}  // namespace lookalike
