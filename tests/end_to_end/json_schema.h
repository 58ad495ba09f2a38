#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace lookalike {

// Returns the deviations of a value from a JSON Schema (draft 2020-12), each with its place:
// "/matches/0: has an undocumented \"size\"". References lead into `root` (null: the schema itself)
// or to docs/schema/: "#/$defs/path", "schema/query.json". Knows the keywords that docs/schema/
// uses; throws std::runtime_error for any other.
std::vector<std::string> schema_faults(const nlohmann::json& schema, const nlohmann::json& value,
                                       const nlohmann::json& root = nullptr);

// Returns docs/schema/COMMAND.json. Throws std::runtime_error if there is none.
nlohmann::json schema_of_command(const std::string& command);

// Returns the faults of each line against the schema of the command.
std::vector<std::string> output_faults(const std::string& command, const std::string& out);

}  // namespace lookalike
