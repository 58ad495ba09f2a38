#include "config/fields.h"

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"

namespace lookalike {
namespace {

constexpr Integer kSeed = {0, std::numeric_limits<std::int64_t>::max()};

template <typename Value>
using TomlType = std::conditional_t<std::is_integral_v<Value> && !std::is_same_v<Value, bool>,
                                    std::int64_t, Value>;

struct Description {
  std::vector<ConfigTable> tables;
  std::vector<ConfigField> fields;
};

// Adds keys of a table to a description.
template <typename Options>
class KeysOf {
 public:
  KeysOf(Description& to, Options RunConfig::*options, std::string_view table)
      : to_(to), options_(options), table_(table) {}

  // Part: Options, or a base of it.
  // option: empty for --KEY, with dashes for underscores.
  template <typename Value, typename Part>
  void add(std::string_view key, Value Part::*member, std::string option, std::string_view meaning,
           Rule rule) const {
    const auto options = options_;
    if (option.empty()) {
      option = fmt::format("--{}", key);
      std::ranges::replace(option, '_', '-');
    }
    to_.fields.push_back({table_, key, std::move(option), meaning, std::move(rule),
                          [=](const RunConfig& config) -> FieldValue {
                            return static_cast<TomlType<Value>>((config.*options).*member);
                          },
                          [=](RunConfig& config, const FieldValue& value) {
                            (config.*options).*member =
                                static_cast<Value>(std::get<TomlType<Value>>(value));
                          }});
  }

 private:
  Description& to_;
  Options RunConfig::*options_;
  std::string_view table_;
};

Description described() {
  Description to;
#define PART(Struct, table) \
  {                         \
    using Options = Struct; \
    const KeysOf keys(to, &RunConfig::table, #table);
#define TABLE(Struct, table, meaning, ...) \
  to.tables.push_back({#table, meaning});  \
  PART(Struct, table)
#define KEY(Type, key, initial, meaning, ...) \
  keys.add(#key, &Options::key, "", meaning, __VA_ARGS__);
#define NAMED_KEY(Type, key, initial, option, meaning, ...) \
  keys.add(#key, &Options::key, option, meaning, __VA_ARGS__);
#define END_TABLE(Struct) }
#include "config/options.def"
  return to;
}

const Description& description() {
  static const Description all = described();
  return all;
}

}  // namespace

std::string ConfigField::name() const {
  return fmt::format("{}.{}", table, key);
}

std::span<const ConfigTable> config_tables() {
  return description().tables;
}

std::span<const ConfigField> config_fields() {
  return description().fields;
}

const ConfigField* find_config_field(std::string_view name) {
  const auto& fields = description().fields;
  const auto found = std::ranges::find(fields, name, &ConfigField::name);
  return found == fields.end() ? nullptr : &*found;
}

const ConfigField& config_field(std::string_view name) {
  const ConfigField* field = find_config_field(name);
  require(field != nullptr, "config_field: unknown field");
  return *field;
}

void set_field(RunConfig& config, const ConfigField& field, const std::string& text,
               std::string_view source) {
  const std::optional<FieldValue> value = parse(field.rule, text);
  if (!value) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: must be {}, was \"{}\"", source, allowed(field.rule), text));
  }
  field.set(config, *value);
}

std::string to_toml(const RunConfig& config) {
  const RunConfig defaults;
  std::string text =
      "# All keys of lookalike's configuration. A file needs only the keys it changes; relative\n"
      "# paths in it start at the folder of the file.\n";
  for (const ConfigTable& table : config_tables()) {
    text += fmt::format("\n# {}\n[{}]\n", table.meaning, table.name);
    for (const ConfigField& field : config_fields()) {
      if (field.table != table.name) continue;
      text += fmt::format("\n# {}\n# Must be {}. Default: {}\n{} = {}\n", field.meaning,
                          allowed(field.rule), to_toml(field.rule, field.get(defaults)), field.key,
                          to_toml(field.rule, field.get(config)));
    }
  }
  return text;
}

std::string to_toml(const RunConfig& config,
                    const std::function<std::string(const ConfigField&)>& remark) {
  std::string text;
  for (const ConfigTable& table : config_tables()) {
    text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", table.name);
    for (const ConfigField& field : config_fields()) {
      if (field.table != table.name) continue;
      const std::string comment = remark(field);
      text += fmt::format("{} = {}{}{}\n", field.key, to_toml(field.rule, field.get(config)),
                          comment.empty() ? "" : "  # ", comment);
    }
  }
  return text;
}

}  // namespace lookalike
