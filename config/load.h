#pragma once

#include <filesystem>
#include <string_view>

#include "config/options.h"

namespace lookalike {

// Reads a configuration file. Keys that it leaves out keep their defaults; relative folders and
// files in it are relative to the file's own folder.
// Throws Error(kUsage): "file: ..." when it cannot be read, otherwise "file:line:column: ..." for
// what is not TOML, an unknown table or key, a wrong type, or a value out of range.
RunConfig load_config(const std::filesystem::path& file);

// The same for text that is at hand; `file` is for messages and for relative paths.
RunConfig parse_config(std::string_view text, const std::filesystem::path& file);

// Throws Error(kUsage) "KEY: ..." where one key's value rules another's out: a range that ends
// below its beginning. For a configuration that is complete.
void check_ranges(const RunConfig& config);

}  // namespace lookalike
