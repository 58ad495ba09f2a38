#include "config/load.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/text.h"
#include "config/fields.h"
#include "config/retired.h"
#include "config/toml_plus_plus.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

std::string place(const fs::path& file, const toml::source_region& where) {
  return fmt::format("{}:{}:{}", file.string(), where.begin.line, where.begin.column);
}

[[noreturn]] void fail(const fs::path& file, const toml::source_region& where,
                       const std::string& message) {
  throw Error(ErrorKind::kUsage, fmt::format("{}: {}", place(file, where), message));
}

// What stands in the file, cut short when it is long.
std::string described(const toml::node& node) {
  if (node.is_table()) return "a table";
  std::ostringstream stream;
  node.visit([&](const auto& typed) { stream << typed; });
  std::string text = stream.str();
  constexpr std::size_t kLongest = 60;
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

// `written` stands in the file under `path`, where only the known names may.
std::string unknown_name(const char* kind, const std::string& path, std::string_view written,
                         std::span<const std::string_view> known) {
  const std::string_view nearest = nearest_name(written, known);
  if (!nearest.empty()) {
    return fmt::format("{}: there is no such {}; did you mean \"{}\"?", path, kind, nearest);
  }
  return fmt::format("{}: there is no such {}; there are {}", path, kind, fmt::join(known, ", "));
}

std::optional<FieldValue> text_list(const toml::array& array) {
  std::vector<std::string> texts;
  for (const toml::node& item : array) {
    const auto text = item.value_exact<std::string>();
    if (!text) return std::nullopt;
    texts.push_back(*text);
  }
  return texts;
}

// The node in the type that the rule wants; nothing when it has another type.
std::optional<FieldValue> read_value(const Rule& rule, const toml::node& node) {
  const auto word = node.value_exact<std::string>();
  const bool is_zero = word && !word->empty() && *word == zero_word(rule);
  if (std::holds_alternative<WholeNumber>(rule)) {
    if (is_zero) return std::int64_t{0};
    if (const auto value = node.value_exact<std::int64_t>()) return *value;
  } else if (std::holds_alternative<Number>(rule)) {
    if (is_zero) return 0.0;
    if (node.is_number()) return node.value<double>();
  } else if (std::holds_alternative<YesOrNo>(rule)) {
    if (const auto value = node.value_exact<bool>()) return *value;
  } else if (std::holds_alternative<TextList>(rule)) {
    if (const toml::array* array = node.as_array()) return text_list(*array);
  } else if (word) {
    return *word;
  }
  return std::nullopt;
}

std::string from_folder_of(const fs::path& file, const std::string& name) {
  if (name.empty()) return name;
  return (fs::absolute(file).parent_path() / name).lexically_normal().string();
}

void resolve_file_names(const fs::path& file, const Rule& rule, FieldValue& value) {
  if (const auto* text = std::get_if<Text>(&rule); text && text->file_name) {
    auto& name = std::get<std::string>(value);
    name = from_folder_of(file, name);
  }
  if (const auto* list = std::get_if<TextList>(&rule); list && list->file_names) {
    for (std::string& name : std::get<std::vector<std::string>>(value)) {
      name = from_folder_of(file, name);
    }
  }
}

const ConfigField& find_key(const fs::path& file, std::string_view table, const toml::key& key) {
  std::vector<std::string_view> known;
  for (const ConfigField& field : config_fields()) {
    if (field.table != table) continue;
    if (field.key == key.str()) return field;
    known.push_back(field.key);
  }
  fail(file, key.source(),
       unknown_name("key", fmt::format("{}.{}", table, key.str()), key.str(), known));
}

void load_table(const fs::path& file, std::string_view name, const toml::table& table,
                RunConfig& config) {
  for (const auto& [key, node] : table) {
    const std::string full_name = fmt::format("{}.{}", name, key.str());
    if (accept_retired_key(full_name, described(node), place(file, key.source()))) continue;
    const ConfigField& field = find_key(file, name, key);
    std::optional<FieldValue> value = read_value(field.rule, node);
    if (!value || !accepts(field.rule, *value)) {
      fail(file, node.source(),
           fmt::format("{}: must be {}, was {}{}", field.name(), allowed(field.rule, field.unit),
                       described(node),
                       retired_value(field.name(), node.value_or(std::string_view()))));
    }
    resolve_file_names(file, field.rule, *value);
    field.set(config, *value);
  }
}

toml::table parse_toml(std::string_view text, const fs::path& file) {
  try {
    return toml::parse(text, file.string());
  } catch (const toml::parse_error& error) {
    fail(file, error.source(), std::string(error.description()));
  }
}

}  // namespace

RunConfig parse_config(std::string_view text, const fs::path& file) {
  const toml::table root = parse_toml(text, file);
  std::vector<std::string_view> known;
  for (const ConfigTable& table : config_tables()) known.push_back(table.name);
  RunConfig config;
  for (const auto& [key, node] : root) {
    if (std::find(known.begin(), known.end(), key.str()) == known.end()) {
      fail(file, key.source(), unknown_name("table", std::string(key.str()), key.str(), known));
    }
    const toml::table* table = node.as_table();
    if (!table) {
      fail(file, node.source(),
           fmt::format("{}: must be a table, [{}], was {}", key.str(), key.str(), described(node)));
    }
    load_table(file, key.str(), *table, config);
  }
  return config;
}

void check_ranges(const RunConfig& config) {
  const auto check = [](std::string_view what, double low, double high) {
    if (low <= high) return;
    throw Error(ErrorKind::kUsage,
                fmt::format("locate.min_{}: must not be above locate.max_{}, {}, was {}", what,
                            what, high, low));
  };
  check("turn_degrees", config.locate.min_turn_degrees, config.locate.max_turn_degrees);
  check("scale", config.locate.min_scale, config.locate.max_scale);
}

RunConfig load_config(const fs::path& file) {
  if (fs::is_directory(file)) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: is a folder, not a file", file.string()));
  }
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: the configuration cannot be read: {}",
                                               file.string(), std::strerror(errno)));
  }
  return parse_config(text, file);
}

}  // namespace lookalike
