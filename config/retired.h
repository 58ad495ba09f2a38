#pragma once

#include <string_view>

// Settings that were removed; configuration files and command lines that still have them are told.
namespace lookalike {

// Whether `name` ("match.burstiness") is a removed key. Warns where `value`, as TOML writes it, is
// what the setting always is now, and throws Error(kUsage) with the reason where it is not. Both
// messages begin with "source: ".
bool accept_retired_key(std::string_view name, std::string_view value, std::string_view source);

// Why an existing key no longer takes this value, to follow "was VALUE"; empty for other values.
std::string_view retired_value(std::string_view name, std::string_view value);

}  // namespace lookalike
