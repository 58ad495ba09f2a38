#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "kernels/session/session.h"
#include "kernels/tuning/tuning.h"

// The variants of a kernel: their names, and which one runs.
namespace lookalike {

// The names of a kernel's variants, as tuning files and tables write them, in the
// order of its enum. Each enum of variants begins with kAuto and specialises this.
template <typename Variant>
inline constexpr std::array<std::string_view, 0> kVariantNames{};

template <typename Variant>
concept NamedVariant = !kVariantNames<Variant>.empty();

template <NamedVariant Variant>
constexpr std::string_view to_string(Variant variant) {
  return kVariantNames<Variant>[static_cast<std::size_t>(variant)];
}

// Returns the fastest measured of the variants that the device can run, or the first where nothing
// was measured.
//   able  best guess first, at least one; named by to_string
template <typename Variant>
Variant choose_variant(const Tuning& tuning, std::string_view kernel, const TuningSizes& sizes,
                       const std::vector<Variant>& able) {
  std::vector<std::string> names;
  names.reserve(able.size());
  for (const Variant& variant : able) names.emplace_back(to_string(variant));
  const std::optional<std::string> fastest = tuning.fastest(kernel, sizes, names);
  const auto found = std::find(names.begin(), names.end(), fastest.value_or(names.front()));
  return able[static_cast<std::size_t>(found - names.begin())];
}

// Returns the variant to run: `wanted`, or choose_variant() for kAuto. Throws Error(kDevice) when
// `wanted` is not among those that the device can run.
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
