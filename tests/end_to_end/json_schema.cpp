#include "tests/end_to_end/json_schema.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

namespace lookalike {
namespace {

using nlohmann::json;
using Faults = std::vector<std::string>;

const std::set<std::string> kKnown = {
    "$schema",    "$defs",    "$ref",     "title",    "description", "type",
    "properties", "required", "items",    "enum",     "const",       "additionalProperties",
    "anyOf",      "oneOf",    "minItems", "maxItems", "minimum",     "maximum",
};

bool is_of_type(const json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "null") return value.is_null();
  throw std::runtime_error("json_schema: unknown type " + type);
}

class Validator {
 public:
  explicit Validator(const json& root) : root_(root) {}

  Faults faults(const json& schema, const json& value, const std::string& place) const {
    for (const auto& [keyword, unused] : schema.items()) {
      if (!kKnown.contains(keyword)) {
        throw std::runtime_error("json_schema: unknown keyword " + keyword);
      }
    }
    Faults all;
    const auto add = [&](const std::string& fault) { all.push_back(place + ": " + fault); };
    const auto add_all = [&](Faults more) { all.insert(all.end(), more.begin(), more.end()); };
    if (schema.contains("$ref")) {
      const std::string reference = schema["$ref"];
      const std::string prefix = "schema/";
      if (reference.starts_with(prefix)) {
        const std::string file = reference.substr(0, reference.find('#'));
        const json other = schema_of_command(std::filesystem::path(file).stem());
        const bool is_part = file != reference;
        const json::json_pointer part(is_part ? reference.substr(file.size() + 1) : "");
        add_all(Validator(other).faults(other.at(part), value, place));
      } else {
        add_all(faults(target(reference), value, place));
      }
    }
    if (schema.contains("type") && !is_allowed_type(schema["type"], value)) {
      add("is not of type " + schema["type"].dump() + ", but " + value.dump());
      return all;
    }
    if (schema.contains("const") && value != schema["const"])
      add("is not " + schema["const"].dump());
    if (schema.contains("enum")) {
      const json& words = schema["enum"];
      if (std::find(words.begin(), words.end(), value) == words.end()) {
        add("is none of " + words.dump() + ", but " + value.dump());
      }
    }
    if (value.is_number()) {
      if (schema.contains("minimum") && value < schema["minimum"]) add("is below its minimum");
      if (schema.contains("maximum") && value > schema["maximum"]) add("is above its maximum");
    }
    if (value.is_array()) add_all(array_faults(schema, value, place));
    if (value.is_object()) add_all(object_faults(schema, value, place));
    for (const char* const keyword : {"anyOf", "oneOf"}) {
      if (!schema.contains(keyword)) continue;
      add_all(choice_faults(schema[keyword], value, place, std::string(keyword) == "oneOf"));
    }
    return all;
  }

 private:
  const json& target(const std::string& reference) const {
    if (!reference.starts_with('#')) throw std::runtime_error("json_schema: " + reference);
    return root_.at(json::json_pointer(reference.substr(1)));
  }

  static bool is_allowed_type(const json& types, const json& value) {
    if (types.is_string()) return is_of_type(value, types.get<std::string>());
    return std::any_of(types.begin(), types.end(), [&](const json& type) {
      return is_of_type(value, type.get<std::string>());
    });
  }

  Faults array_faults(const json& schema, const json& value, const std::string& place) const {
    Faults all;
    if (schema.contains("minItems") && value.size() < schema["minItems"]) {
      all.push_back(place + ": has too few items");
    }
    if (schema.contains("maxItems") && value.size() > schema["maxItems"]) {
      all.push_back(place + ": has too many items");
    }
    if (!schema.contains("items")) return all;
    for (std::size_t i = 0; i < value.size(); ++i) {
      for (std::string& fault :
           faults(schema["items"], value[i], place + "/" + std::to_string(i))) {
        all.push_back(std::move(fault));
      }
    }
    return all;
  }

  Faults object_faults(const json& schema, const json& value, const std::string& place) const {
    Faults all;
    for (const json& name : schema.value("required", json::array())) {
      if (!value.contains(name.get<std::string>())) {
        all.push_back(place + ": lacks " + name.dump());
      }
    }
    const json properties = schema.value("properties", json::object());
    const json others = schema.value("additionalProperties", json(true));
    for (const auto& [name, member] : value.items()) {
      const bool is_listed = properties.contains(name);
      if (!is_listed && others == false) {
        all.push_back(place + ": has an undocumented \"" + name + "\"");
      }
      if (!is_listed && !others.is_object()) continue;
      for (std::string& fault :
           faults(is_listed ? properties[name] : others, member, place + "/" + name)) {
        all.push_back(std::move(fault));
      }
    }
    return all;
  }

  // Without a match, reports the faults of the alternative that fits best, own members first.
  Faults choice_faults(const json& choices, const json& value, const std::string& place,
                       bool only_one) const {
    const auto own_faults = [&](const Faults& found) {
      return std::ranges::count_if(
          found, [&](const std::string& fault) { return fault.starts_with(place + ": "); });
    };
    std::size_t fitting = 0;
    Faults fewest;
    for (const json& choice : choices) {
      Faults found = faults(choice, value, place);
      fitting += found.empty() ? 1 : 0;
      if (fewest.empty() || own_faults(found) < own_faults(fewest)) fewest = std::move(found);
    }
    if (fitting == 0) return fewest;
    if (fitting > 1 && only_one) return {place + ": fits more than one alternative"};
    return {};
  }

  const json& root_;
};

}  // namespace

std::vector<std::string> schema_faults(const json& schema, const json& value, const json& root) {
  return Validator(root.is_null() ? schema : root).faults(schema, value, "");
}

json schema_of_command(const std::string& command) {
  std::ifstream file(LOOKALIKE_SOURCE_DIR "/docs/schema/" + command + ".json");
  if (!file) throw std::runtime_error("docs/schema/" + command + ".json is missing");
  return json::parse(file);
}

std::vector<std::string> output_faults(const std::string& command, const std::string& out) {
  const json schema = schema_of_command(command);
  std::vector<std::string> all;
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    const auto found = schema_faults(schema, json::parse(line));
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

}  // namespace lookalike
