#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace lookalike {

// What a value has against a JSON Schema (draft 2020-12), each fault with its place, such as
// "/matches/0: has an undocumented \"size\"". References lead into `root`, which is the schema
// itself where it is null, or to docs/schema/: "#/$defs/path", "schema/query.json". Knows the
// keywords that docs/schema/ uses, and throws std::runtime_error for any other.
std::vector<std::string> schema_faults(const nlohmann::json& schema, const nlohmann::json& value,
                                       const nlohmann::json& root = nullptr);

// The schema of what a command prints: docs/schema/COMMAND.json. Throws std::runtime_error without
// one.
nlohmann::json schema_of_command(const std::string& command);

// Faults of each line against the schema of the command.
std::vector<std::string> output_faults(const std::string& command, const std::string& out);

}  // namespace lookalike
