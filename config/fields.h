#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "config/options.h"
#include "config/rules.h"

// The descriptions of all keys, made of config/options.def.
namespace lookalike {

struct ConfigTable {
  std::string_view name;     // "extract"
  std::string_view meaning;  // one line
};

struct ConfigField {
  std::string_view table;
  std::string_view key;
  std::string option;        // that sets it on command lines: "--octaves"
  std::string_view meaning;  // one line
  Rule rule;
  std::function<FieldValue(const RunConfig& config)> get;
  std::function<void(RunConfig& config, const FieldValue& value)> set;  // a value of the rule

  std::string name() const;  // "extract.octaves"
};

// Return all tables and keys in the order of default.toml.
std::span<const ConfigTable> config_tables();
std::span<const ConfigField> config_fields();

// Returns the field of that name ("extract.octaves"); nullptr if there is none.
const ConfigField* find_config_field(std::string_view name);
// The same. Throws Error(kInternal) if there is none.
const ConfigField& config_field(std::string_view name);

// Sets a field from the text of a command line.
// Throws Error(kUsage, "source: must be ..., was ...").
void set_field(RunConfig& config, const ConfigField& field, const std::string& text,
               std::string_view source);

// Formats the configuration as a TOML file, each key below its meaning, unit, range and default.
std::string to_toml(const RunConfig& config);

// The same without the descriptions; remark(field), unless empty, follows each value as a comment.
std::string to_toml(const RunConfig& config,
                    const std::function<std::string(const ConfigField& field)>& remark);

// Configuration files, command lines and indexes may still have settings that were removed.

// Whether `name` ("match.burstiness") is a removed key. Warns when `value`, as written in TOML, is
// the constant that replaced it, else throws Error(kUsage) with the reason. Both messages begin
// with "source: ".
bool accept_retired_key(std::string_view name, std::string_view value, std::string_view source);

// Why a key no longer takes this value, to follow "was VALUE"; empty for other values.
std::string_view retired_value(std::string_view name, std::string_view value);

}  // namespace lookalike
