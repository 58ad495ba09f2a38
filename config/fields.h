#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/options.h"
#include "config/rules.h"

// The one description of every key: loading, range checks, --help texts and default.toml all come
// from it.
namespace lookalike {

struct ConfigTable {
  std::string_view name;     // "extract"
  std::string_view meaning;  // one line
};

struct ConfigField {
  std::string_view table;
  std::string_view key;
  std::string_view unit;     // empty for none
  std::string_view meaning;  // one line
  Rule rule;
  FieldValue (*get)(const RunConfig& config);
  void (*set)(RunConfig& config, const FieldValue& value);  // of the rule's type, in its range

  std::string name() const;  // "extract.octaves"
};

// In the order in which default.toml has them: fields of one table are adjacent.
std::span<const ConfigTable> config_tables();
std::span<const ConfigField> config_fields();

// The field called "extract.octaves". Throws Error(kInternal) when there is none.
const ConfigField& config_field(std::string_view name);

// Sets a field from text as a command line has it ("64", "true", "auto", "jpg,png").
// Throws Error(kUsage, "source: must be what is allowed, was what was there").
void set_field(RunConfig& config, const ConfigField& field, const std::string& text,
               std::string_view source);

// The configuration as a TOML file in which each key stands under its meaning, unit, range and
// default.
std::string to_toml(const RunConfig& config);

}  // namespace lookalike
