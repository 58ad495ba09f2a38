#pragma once

#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "stages/match/locate.h"
#include "stages/match/match.h"

// The answers of matching and of locating, as JSON.
namespace lookalike {

using Json = nlohmann::ordered_json;

// One line of JSON; bytes that are not UTF-8 become U+FFFD, numbers that are not finite null.
std::string json_text(const Json& json);

// {"query": path, "matches": [{"path", "score", "probability", "decision", "mirrored", "inliers",
// "correlation", "quad"}, ...]}; correlation is null where it could not be taken, quad without a
// pose. Coordinates are rounded to 1/1000 px.
Json query_answer(const std::string& query, std::span<const Match> matches);

// What was found of one object: its name, and where.
struct ObjectLocated {
  std::string object;
  Located located;
};

// {"scene": path, "hits": [{"object", "method", "centre", "position_error_px", "angle_degrees",
// "scale", "correlation", "quad"}, ...], "not_found": [{"object", "method", "reason"}, ...]};
// position_error_px is null where it could not be taken.
Json locate_answer(const std::string& scene, std::span<const ObjectLocated> objects);

}  // namespace lookalike
