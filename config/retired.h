#pragma once

#include <string_view>

// Removed settings that configuration files, command lines and indexes may still have.
namespace lookalike {

// Whether `name` ("match.burstiness") is a removed key. Warns when `value`, as written in TOML, is
// the constant that replaced it, else throws Error(kUsage) with the reason. Both messages begin
// with "source: ".
bool accept_retired_key(std::string_view name, std::string_view value, std::string_view source);

// Why a key no longer takes this value, to follow "was VALUE"; empty for other values.
std::string_view retired_value(std::string_view name, std::string_view value);

}  // namespace lookalike
