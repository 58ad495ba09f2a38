#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "config/options.h"

namespace lookalike {

// Reads a configuration file. Missing keys keep their defaults. Folders and files may be file:
// URIs; relative ones start at the file's own folder. Throws Error(kUsage): "file: ..." when it
// cannot be read, else "file:line:column: ..." for invalid TOML, an unknown table or key, a wrong
// type, or a value out of range.
RunConfig load_config(const std::filesystem::path& file);

// The same for text in memory; `file` is for messages and for relative paths.
RunConfig parse_config(std::string_view text, const std::filesystem::path& file);

// Applies a setting of a command line, "TABLE.KEY=VALUE". The value is TOML as to_toml() writes it,
// but strings may lack their quotes and lists may be "a,b"; relative folders and files start at the
// current folder. Throws Error(kUsage) beginning with `source`; for an unknown key it names the
// nearest one.
void apply_setting(RunConfig& config, const std::string& setting, std::string_view source);

// Checks the ranges that two keys span in a complete configuration. Throws Error(kUsage) "KEY: ..."
// for a range that ends below its beginning.
void check_ranges(const RunConfig& config);

}  // namespace lookalike
