#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "kernels/session/session.h"

namespace lookalike {

// The names of a kernel's variants, as configurations, tuning files and tables write them, in the
// order of its enum. Each enum of variants begins with kAuto and specialises this.
template <typename Variant>
inline constexpr std::array<std::string_view, 0> kVariantNames{};

template <typename Variant>
concept NamedVariant = !kVariantNames<Variant>.empty();

template <NamedVariant Variant>
constexpr std::string_view to_string(Variant variant) {
  return kVariantNames<Variant>[static_cast<std::size_t>(variant)];
}

// The variant of this name. Throws Error(kUsage), which begins with `what` and lists the names,
// when there is none.
template <NamedVariant Variant>
Variant variant_of(std::string_view what, std::string_view name) {
  const auto& names = kVariantNames<Variant>;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<Variant>(found - names.begin());
  std::string known;
  for (const std::string_view each : names)
    known += (known.empty() ? "" : ", ") + std::string(each);
  throw Error(ErrorKind::kUsage, std::string(what) + ": must be one of " + known + ", was '" +
                                     std::string(name) + "'");
}

// The variant to run: the fastest measured at these sizes for kAuto, else `wanted`.
//   able  the variants that the device can run, best guess first; at least one
// Throws Error(kDevice) when `wanted` is not among them.
template <NamedVariant Variant>
Variant select_variant(OpenClSession& session, std::string_view kernel, const TuningSizes& sizes,
                       const std::vector<Variant>& able, Variant wanted) {
  if (wanted == Variant::kAuto) return choose_variant(session.tuning(), kernel, sizes, able);
  if (std::find(able.begin(), able.end(), wanted) != able.end()) return wanted;
  throw Error(ErrorKind::kDevice, std::string(kernel) + ": variant '" +
                                      std::string(to_string(wanted)) + "' does not run for " +
                                      to_string(sizes) + " on " + session.device().name);
}

}  // namespace lookalike
