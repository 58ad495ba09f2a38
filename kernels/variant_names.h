#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace lookalike {

// The names of a kernel's variants, as configurations, tuning files and tables write them.
template <class Variant, std::size_t Count>
using VariantNames = std::array<std::pair<Variant, std::string_view>, Count>;

// The name of a variant, which must be in the table.
template <class Variant, std::size_t Count>
std::string_view name_of(const VariantNames<Variant, Count>& names, Variant variant) {
  return std::find_if(names.begin(), names.end(),
                      [&](const auto& entry) { return entry.first == variant; })
      ->second;
}

// The variant of this name. Throws Error(kUsage), which begins with `what` and lists the names,
// when there is none.
template <class Variant, std::size_t Count>
Variant variant_of(const VariantNames<Variant, Count>& names, std::string_view what,
                   std::string_view name) {
  std::string known;
  for (const auto& [variant, known_name] : names) {
    if (known_name == name) return variant;
    known += (known.empty() ? "" : ", ") + std::string(known_name);
  }
  throw Error(ErrorKind::kUsage, std::string(what) + ": must be one of " + known + ", was '" +
                                     std::string(name) + "'");
}

}  // namespace lookalike
