#include "stages/store/settings.h"

#include <string>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/error.h"
#include "config/fields.h"
#include "storage/artefact_files.h"

namespace lookalike {
namespace {

// Changes whenever the same settings give other features.
constexpr const char* kMethodKey = "extract.method";
constexpr const char* kMethod = "surf-1";

// Keys that came after the first indexes, and what those were made with.
const Settings& earlier_settings() {
  static const Settings settings = {{"extract.brighten_to", "0"}, {"extract.max_interval", "0"}};
  return settings;
}

// As set_field() reads it: texts without quotes.
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

void refuse_retired(const Settings& settings) {
  for (const auto& [name, value] : settings) {
    const std::string_view why = retired_value(name, value);
    if (why.empty()) continue;
    throw OtherSettings(
        fmt::format("the index was made with {} = \"{}\"{}: rebuild it with `lookalike retrain`",
                    name, value, why));
  }
}

ExtractOptions extract_options_from(const Settings& settings) {
  refuse_retired(settings);
  const auto value = [&](const std::string& name) {
    for (const Settings* from : {&settings, &earlier_settings()}) {
      const auto found = from->find(name);
      if (found != from->end()) return found->second;
    }
    throw Error(ErrorKind::kStorage, "index settings: " + name + " is missing");
  };
  if (value(kMethodKey) != kMethod) {
    throw Error(ErrorKind::kStorage, "index settings: " + std::string(kMethodKey) +
                                         ": this version knows " + kMethod + ", and there is " +
                                         value(kMethodKey));
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
