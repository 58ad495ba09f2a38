#include "pipeline/answers.h"

#include <cmath>

#include "base/text.h"

namespace lookalike {
namespace {

// To 1/1000, as the nearest double to a short decimal, so that it prints short.
double to_thousandths(double value) {
  return std::round(value * 1000) / 1000;
}

Json to_json(const Point& point) {
  return Json::array({to_thousandths(point.x), to_thousandths(point.y)});
}

Json to_json(const Quad& quad) {
  Json corners = Json::array();
  for (const Point& corner : quad) corners.push_back(to_json(corner));
  return corners;
}

Json to_json(const std::vector<std::string>& paths) {
  Json texts = Json::array();
  for (const std::string& path : paths) texts.push_back(text_of_path(path));
  return texts;
}

}  // namespace

std::string json_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json query_answer(const std::string& query, const QueryResult& result) {
  Json answer = {
      {"query", text_of_path(query)}, {"found", result.found}, {"matches", Json::array()}};
  for (const Match& match : result.matches) {
    answer["matches"].push_back(
        {{"path", text_of_path(path_of(match))},
         {"paths", to_json(match.image.paths)},
         {"gone", to_json(match.gone)},
         {"score", match.score},
         {"probability", match.probability},
         {"decision", to_string(match.decision)},
         {"mirrored", match.mirrored},
         {"inliers", match.evidence.inliers},
         {"correlation", match.evidence.correlation ? Json(*match.evidence.correlation) : Json()},
         {"moved_px", match.moved_px ? Json(to_thousandths(*match.moved_px)) : Json()},
         {"quad", match.is_located() ? to_json(match.quad) : Json()}});
  }
  return answer;
}

Json failed_answer(const char* what, const std::string& path, const SkippedFile& why) {
  return {{what, text_of_path(path)},
          {"error", {{"kind", "input"}, {"reason", why.reason}, {"message", why.detail}}}};
}

Json locate_answer(const std::string& scene, std::span<const ObjectLocated> objects) {
  Json answer = {
      {"scene", text_of_path(scene)}, {"hits", Json::array()}, {"not_found", Json::array()}};
  for (const ObjectLocated& one : objects) {
    const std::string_view method = to_string(one.located.method);
    if (one.located.hits.empty()) {
      answer["not_found"].push_back({{"object", text_of_path(one.object)},
                                     {"method", method},
                                     {"reason", one.located.reason}});
    }
    for (const Hit& hit : one.located.hits) {
      answer["hits"].push_back(
          {{"object", text_of_path(one.object)},
           {"method", method},
           {"centre", to_json(hit.centre)},
           {"position_error_px",
            hit.position_error_px ? Json(to_thousandths(*hit.position_error_px)) : Json()},
           {"angle_degrees", to_thousandths(hit.angle_degrees)},
           {"scale", hit.scale},
           {"correlation", hit.correlation},
           {"quad", to_json(hit.quad)}});
    }
  }
  return answer;
}

}  // namespace lookalike
