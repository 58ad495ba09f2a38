#include "kernels/tuning/tuning.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

namespace lookalike {
namespace {

bool same_names(const TuningSizes& a, const TuningSizes& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& one, const auto& other) { return one.first == other.first; });
}

double logarithm(std::uint64_t size) {
  return std::log2(static_cast<double>(std::max<std::uint64_t>(size, 1)));
}

// Of sizes with the same names.
double distance(const TuningSizes& a, const TuningSizes& b) {
  double sum = 0;
  for (auto one = a.begin(), other = b.begin(); one != a.end(); ++one, ++other) {
    sum += std::pow(logarithm(one->second) - logarithm(other->second), 2);
  }
  return sum;
}

std::optional<std::string> fastest_in(const TuningFile& file, std::string_view kernel,
                                      const TuningSizes& sizes,
                                      std::span<const std::string> variants) {
  using Rank = std::tuple<double, TuningSizes, double, std::size_t>;
  std::optional<Rank> best;
  for (const Measurement& measurement : file.measurements) {
    const auto variant = std::find(variants.begin(), variants.end(), measurement.variant);
    if (measurement.kernel != kernel || variant == variants.end()) continue;
    if (!same_names(measurement.sizes, sizes)) continue;
    const Rank rank{distance(measurement.sizes, sizes), measurement.sizes, measurement.ms,
                    std::distance(variants.begin(), variant)};
    if (!best || rank < *best) best = rank;
  }
  if (!best) return std::nullopt;
  return variants[std::get<std::size_t>(*best)];
}

}  // namespace

std::optional<std::string> Tuning::fastest(std::string_view kernel, const TuningSizes& sizes,
                                           std::span<const std::string> variants) const {
  for (const TuningFile& file : files_) {
    if (const auto found = fastest_in(file, kernel, sizes, variants)) return found;
  }
  return std::nullopt;
}

}  // namespace lookalike
