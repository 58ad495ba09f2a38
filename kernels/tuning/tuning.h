#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/tuning/tuning_file.h"

namespace lookalike {

// How far sizes lie apart: the root of the sum of the squared binary logarithms of their ratios; a
// size of 0 counts as 1. Infinity when their names differ.
double octaves_between(const TuningSizes& a, const TuningSizes& b);

// What was measured of a device, or of one like it; tells which variant of a kernel is fastest.
class Tuning {
 public:
  // Files in order of trust: what one does not know is asked of the next.
  explicit Tuning(std::vector<TuningFile> files = {}) : files_(std::move(files)) {}

  // The fastest of these variants at the measured sizes nearest to those asked for, by
  // octaves_between. Only measurements of sizes with the same names count. Ties: the smaller sizes,
  // then the variant that stands first in `variants`. Nothing when no file knows one of the
  // variants.
  std::optional<std::string> fastest(std::string_view kernel, const TuningSizes& sizes,
                                     std::span<const std::string> variants) const;

  const std::vector<TuningFile>& files() const { return files_; }

 private:
  std::vector<TuningFile> files_;
};

// What kAuto stands for: the fastest of the variants that the device can run, which are given best
// guess first, or that guess when nothing was measured. A variant is named by to_string.
//   variants  at least one
template <typename Variant>
Variant choose_variant(const Tuning& tuning, std::string_view kernel, const TuningSizes& sizes,
                       const std::vector<Variant>& variants) {
  std::vector<std::string> names;
  names.reserve(variants.size());
  for (const Variant& variant : variants) names.emplace_back(to_string(variant));
  const std::optional<std::string> fastest = tuning.fastest(kernel, sizes, names);
  for (std::size_t i = 0; fastest && i < names.size(); ++i) {
    if (names[i] == *fastest) return variants[i];
  }
  return variants.front();
}

}  // namespace lookalike
