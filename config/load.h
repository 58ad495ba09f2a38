#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "config/options.h"

namespace lookalike {

// Reads a configuration file. Missing keys keep their defaults; relative folders and files in it
// are relative to the file's own folder, and may be file: URIs. Throws Error(kUsage): "file: ..."
// when it cannot be read, else "file:line:column: ..." for invalid TOML, an unknown table or key, a
// wrong type, or a value out of range.
RunConfig load_config(const std::filesystem::path& file);

// The same for text in memory; `file` is for messages and for relative paths.
RunConfig parse_config(std::string_view text, const std::filesystem::path& file);

// Applies a setting of a command line, "TABLE.KEY=VALUE". The value is TOML, as to_toml() writes
// it, where strings may lack their quotes and lists may be "a,b"; relative folders and files are
// relative to the current folder. Throws Error(kUsage), beginning
// with `source`, also with the nearest known key.
void apply_setting(RunConfig& config, const std::string& setting, std::string_view source);

// Checks ranges that two keys span, once a configuration is complete. Throws Error(kUsage)
// "KEY: ..." for a range whose end is below its beginning.
void check_ranges(const RunConfig& config);

}  // namespace lookalike
