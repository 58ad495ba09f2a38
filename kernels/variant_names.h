#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernels/session/session.h"

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

// The variant to run: the fastest measured at these sizes for kAuto, else `wanted`.
//   able  the variants that the device can run, best guess first; at least one
// Throws Error(kDevice) when `wanted` is not among them.
template <class Variant>
Variant select_variant(OpenClSession& session, std::string_view kernel, const TuningSizes& sizes,
                       const std::vector<Variant>& able, Variant wanted) {
  if (wanted == Variant::kAuto) return choose_variant(session.tuning(), kernel, sizes, able);
  if (std::find(able.begin(), able.end(), wanted) != able.end()) return wanted;
  throw Error(ErrorKind::kDevice, std::string(kernel) + ": variant '" +
                                      std::string(to_string(wanted)) + "' does not run for " +
                                      to_string(sizes) + " on " + session.device().name);
}

}  // namespace lookalike
