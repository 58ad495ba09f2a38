#include "pipeline/index_settings.h"

#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/error.h"
#include "config/fields.h"
#include "storage/artefact_files.h"

namespace lookalike {
namespace {

// Changes whenever the same settings give other features of any file, also because it is decoded to
// other pixels or another size.
constexpr const char* kMethodKey = "extract.method";
constexpr const char* kMethod = "surf-3";

// Returns a value in the form that set_field() reads: texts without quotes.
std::string text_of(const ConfigField& field, const RunConfig& config) {
  const FieldValue value = field.get(config);
  const auto* text = std::get_if<std::string>(&value);
  return text ? *text : to_toml(field.rule, value);
}

template <typename Visit>
void for_each_extract_field(Visit visit) {
  for (const ConfigField& field : config_fields()) {
    if (field.table == "extract") visit(field);
  }
}

}  // namespace

Settings settings_of(const ExtractOptions& extract) {
  RunConfig config;
  config.extract = extract;
  Settings settings;
  for_each_extract_field(
      [&](const ConfigField& field) { settings[field.name()] = text_of(field, config); });
  settings[kMethodKey] = kMethod;
  return settings;
}

Settings settings_of(const ExtractOptions& extract, const Codebook& codebook) {
  Settings settings = settings_of(extract);
  settings["codebook.hash"] = to_hex(codebook_hash(codebook));
  return settings;
}

std::vector<std::string> keep_settings(ExtractOptions& extract, const Settings& index) {
  const RunConfig defaults;
  RunConfig config;
  config.extract = extract;
  std::vector<std::string> names;
  for_each_extract_field([&](const ConfigField& field) {
    const auto kept = index.find(field.name());
    if (kept == index.end()) return;
    const std::string value = text_of(field, config);
    if (kept->second == value || value != text_of(field, defaults)) return;
    set_field(config, field, kept->second, field.name());
    names.push_back(field.name());
  });
  extract = config.extract;
  return names;
}

ExtractOptions extract_options_from(const Settings& settings) {
  const auto value = [&](const std::string& name) {
    const auto found = settings.find(name);
    if (found != settings.end()) return found->second;
    throw Error(ErrorKind::kStorage, "index settings: " + name + " is missing");
  };
  if (value(kMethodKey) != kMethod) {
    throw Error(
        ErrorKind::kStorage,
        fmt::format("index settings: {} is {}, this version knows {}: rebuild the index with "
                    "`lookalike retrain`",
                    kMethodKey, value(kMethodKey), kMethod));
  }
  RunConfig config;
  try {
    for_each_extract_field([&](const ConfigField& field) {
      set_field(config, field, value(field.name()), field.name());
    });
  } catch (const Error& error) {
    throw Error(ErrorKind::kStorage, std::string("index settings: ") + error.what());
  }
  return config.extract;
}

}  // namespace lookalike
