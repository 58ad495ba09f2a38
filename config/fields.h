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
  std::string option;        // sets the key on command lines: "--octaves"
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

}  // namespace lookalike
