#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "config/options.h"
#include "config/rules.h"

// The one description of every key: loading, range checks, --help and default.toml follow from it.
namespace lookalike {

struct ConfigTable {
  std::string_view name;     // "extract"
  std::string_view meaning;  // one line
};

struct ConfigField {
  std::string_view table;
  std::string_view key;
  std::string_view meaning;  // one line
  Rule rule;
  std::function<FieldValue(const RunConfig& config)> get;
  std::function<void(RunConfig& config, const FieldValue& value)> set;  // a value of the rule

  std::string name() const;  // "extract.octaves"
};

// In the order of default.toml: the fields of a table are adjacent.
std::span<const ConfigTable> config_tables();
std::span<const ConfigField> config_fields();

// The field of that name ("extract.octaves"); nullptr when there is none.
const ConfigField* find_config_field(std::string_view name);
// The same. Throws Error(kInternal) when there is none.
const ConfigField& config_field(std::string_view name);

// Sets a field from the text of a command line.
// Throws Error(kUsage, "source: must be what is allowed, was what was there").
void set_field(RunConfig& config, const ConfigField& field, const std::string& text,
               std::string_view source);

// The configuration as a TOML file, each key under its meaning, unit, range and default.
std::string to_toml(const RunConfig& config);

// The same without the descriptions; remark(field), unless it is empty, follows a value as a
// comment.
std::string to_toml(const RunConfig& config,
                    const std::function<std::string(const ConfigField& field)>& remark);

}  // namespace lookalike
