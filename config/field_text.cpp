#include <charconv>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "base/error.h"
#include "config/fields.h"
#include "config/retired.h"

namespace lookalike {
namespace {

template <typename Value>
std::optional<FieldValue> parse_number(const std::string& text) {
  Value value{};
  const char* end = text.data() + text.size();
  const auto [stopped, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || stopped != end) return std::nullopt;
  return value;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

std::optional<FieldValue> parse(const Rule& rule, const std::string& text) {
  const bool is_zero = !text.empty() && text == zero_word(rule);
  if (std::holds_alternative<WholeNumber>(rule)) {
    return is_zero ? std::int64_t{0} : parse_number<std::int64_t>(text);
  }
  if (std::holds_alternative<Number>(rule)) return is_zero ? 0.0 : parse_number<double>(text);
  if (std::holds_alternative<TextList>(rule)) return split(text);
  if (std::holds_alternative<YesOrNo>(rule)) {
    if (text == "true" || text == "false") return text == "true";
    return std::nullopt;
  }
  return text;
}

}  // namespace

void set_field(RunConfig& config, const ConfigField& field, const std::string& text,
               std::string_view source) {
  const std::optional<FieldValue> value = parse(field.rule, text);
  if (!value || !accepts(field.rule, *value)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: must be {}, was \"{}\"{}", source, allowed(field.rule, field.unit),
                            text, retired_value(field.name(), text)));
  }
  field.set(config, *value);
}

std::string to_toml(const RunConfig& config) {
  const RunConfig defaults;
  std::string text =
      "# Every key of lookalike's configuration. A file needs only the keys that it changes;\n"
      "# folders and files in it are relative to the file itself.\n";
  std::string_view table;
  for (const ConfigField& field : config_fields()) {
    if (field.table != table) {
      table = field.table;
      for (const ConfigTable& described : config_tables()) {
        if (described.name == table)
          text += fmt::format("\n# {}\n[{}]\n", described.meaning, table);
      }
    }
    text += fmt::format("\n# {}\n# Must be {}. Default: {}\n{} = {}\n", field.meaning,
                        allowed(field.rule, field.unit), to_toml(field.rule, field.get(defaults)),
                        field.key, to_toml(field.rule, field.get(config)));
  }
  return text;
}

}  // namespace lookalike
