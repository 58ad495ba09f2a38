#include "pipeline/answers.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/files.h"
#include "base/page_name.h"
#include "base/path_set.h"
#include "base/text.h"
#include "pipeline/duplicates/groups.h"
#include "pipeline/json.h"
#include "stages/decode/readers.h"
#include "stages/match/decide/places.h"

namespace lookalike {
namespace {

// Rounds to 1/1000: the nearest double to a short decimal, which prints short.
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

Json to_json(const std::vector<Quad>& quads) {
  Json places = Json::array();
  for (const Quad& quad : quads) places.push_back(to_json(quad));
  return places;
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json to_json(const std::optional<PictureDifference>& difference) {
  if (!difference) return {};
  return {{"seen", difference->is_seen()},
          {"largest", difference->largest},
          {"largest_of_colour", difference->largest_of_colour},
          {"lacks_colours", difference->lacks_colours},
          {"relit", difference->is_relit},
          {"share", difference->share},
          {"two_shots", difference->shots.are_clear()},
          {"moved", difference->shots.moved},
          {"beyond", difference->shots.beyond},
          {"places", to_json(difference->places)}};
}

Json to_json(const std::vector<std::string>& paths) {
  Json texts = Json::array();
  for (const std::string& path : paths) texts.push_back(text_of_path(path));
  return texts;
}

Json moved_px_of(const Match& match) {
  return match.pose.moved_px ? Json(to_thousandths(*match.pose.moved_px)) : Json();
}

Json via_of(const Match& match) {
  Json images = Json::array();
  for (const StoredImage& image : match.via) {
    images.push_back({{"id", image.id}, {"path", text_of_path(image.paths.front())}});
  }
  return images;
}

Json rival_of(const Match& match) {
  if (!match.rival) return {};
  return {{"id", match.rival->id}, {"path", text_of_path(match.rival->paths.front())}};
}

Json quad_of(const Match& match) {
  return match.has_pose() ? to_json(match.pose.quad) : Json();
}

Json votes_of(const Explanation& explanation) {
  const Evidence& evidence = explanation.by_features.evidence;
  return {{"score", evidence.votes},
          {"ratio", evidence.votes_ratio},
          {"excess", evidence.votes_excess},
          {"rank", or_null(explanation.rank)},
          {"images", explanation.images},
          {"shortlist", explanation.shortlist},
          {"shortlisted", explanation.shortlisted}};
}

Json pairs_of(const Explanation& explanation) {
  Json pairs = Json::array();
  for (const ExplainedPair& pair : explanation.pairs) pairs.push_back(pair_answer(pair));
  return pairs;
}

Json terms_of(const Explanation& explanation) {
  Json terms = Json::array();
  for (const EvidenceTerm& term : explanation.terms) {
    terms.push_back({{"name", term.name},
                     {"value", term.value},
                     {"weight", term.weight},
                     {"product", term.product()}});
  }
  return terms;
}

Json answer_of(const Explanation& explanation) {
  const auto& rank = explanation.answer_rank;
  const auto& rival = explanation.rival;
  const Json place = rank ? Json(explanation.judged->place) : Json();
  return {{"listed", rank && explanation.judged->place <= explanation.options.top},
          {"rank", or_null(rank)},
          {"place", place},
          {"total", explanation.total},
          {"decision", explanation.judged ? Json(to_string(explanation.judged->decision)) : Json()},
          {"via", explanation.judged ? via_of(*explanation.judged) : Json::array()},
          {"rival", rival ? Json{{"path", text_of_path(path_of(rival->match))},
                                 {"features", rival->features}}
                          : Json()}};
}

Json steps_json(const Explanation& explanation) {
  Json steps = Json::array();
  for (const ExplainedStep& step : steps_of(explanation)) {
    steps.push_back({{"step", step.name}, {"passed", step.passed}, {"reason", step.reason}});
  }
  return steps;
}

// Returns the folder that holds a path; empty for "/".
std::string_view folder_of(std::string_view path) {
  return path == "/" ? std::string_view()
                     : path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
}

}  // namespace

Json evidence_answer(const Evidence& evidence) {
  return {{"votes_excess", evidence.votes_excess},
          {"shortlist", evidence.shortlist},
          {"pairs", evidence.pairs},
          {"effective_inliers", evidence.effective_inliers},
          {"coherence", evidence.coherence},
          {"squeeze", evidence.squeeze},
          {"detail", or_null(evidence.detail)},
          {"colour", or_null(evidence.colour)},
          {"own_agreement", or_null(evidence.own_agreement)},
          {"difference", to_json(evidence.difference)},
          {"other_content", to_json(evidence.other_content)}};
}

std::optional<PhotoOrigin> read_origin(const std::string& path) {
  constexpr std::size_t kStartBytes = std::size_t{256} << 10U;  // where cameras put EXIF
  if (!is_path(path)) return std::nullopt;
  const std::string file = page_of(path).file;
  const std::optional<std::string> start = read_start(file, kStartBytes);
  if (!start) return std::nullopt;
  try {
    return origin_of(read_metadata(bytes_of(*start)));
  } catch (const Error& failure) {
    if (failure.kind() != ErrorKind::kInternal) throw;
    return std::nullopt;  // there is no reader
  }
}

void add_origin(const std::string& path, Json& answer) {
  const PhotoOrigin origin = read_origin(path).value_or(PhotoOrigin{});
  const auto text = [](const std::string& value) { return value.empty() ? Json() : Json(value); };
  answer["taken"] = text(origin.taken);
  answer["camera"] = text(origin.camera);
}

bool may_be_mirrored(const QueryResult& result) {
  constexpr double kMostCorrelation = -0.15;  // a slide looked up from its back had -0.28
  if (result.found > 0 || result.matches.empty()) return false;
  const Match& best = result.matches.front();
  return best.has_pose() && !best.pose.mirrored && !is_guess(best) &&
         best.evidence.correlation.value_or(0) <= kMostCorrelation;
}

Json query_answer(const std::string& query, const QueryResult& result, Asked asked) {
  Json answer = {{"query", text_of_path(query)}, {"headline", headline(result, asked)},
                 {"found", result.found},        {"total", result.total},
                 {"places", result.places},      {"perhaps_mirrored", may_be_mirrored(result)},
                 {"matches", Json::array()}};
  for (const Match& match : result.matches) {
    answer["matches"].push_back({{"id", match.image.id},
                                 {"path", text_of_path(path_of(match))},
                                 {"page", match.image.page},
                                 {"paths", to_json(match.image.paths)},
                                 {"gone", to_json(match.gone)},
                                 {"place", match.place},
                                 {"score", match.score},
                                 {"probability", match.probability},
                                 {"decision", to_string(match.decision)},
                                 {"via", via_of(match)},
                                 {"rival", rival_of(match)},
                                 {"mirrored", match.pose.mirrored},
                                 {"rejected", match.rejected},
                                 {"inliers", match.evidence.inliers},
                                 {"correlation", or_null(match.evidence.correlation)},
                                 {"evidence", evidence_answer(match.evidence)},
                                 {"moved_px", moved_px_of(match)},
                                 {"quad", quad_of(match)}});
    add_origin(path_of(match), answer["matches"].back());
  }
  return answer;
}

Json quad_answer(const Quad& quad) {
  return to_json(quad);
}

Json pair_answer(const ExplainedPair& pair) {
  return {{"query", to_json(pair.places.scene)},
          {"image", to_json(pair.places.object)},
          {"inlier", pair.inlier}};
}

Json explain_answer(const std::string& query, const Explanation& explanation) {
  const Match& match = explanation.match;
  const Evidence& evidence = match.evidence;
  return {{"query", text_of_path(query)},
          {"id", match.image.id},
          {"path", text_of_path(path_of(match))},
          {"page", match.image.page},
          {"paths", to_json(match.image.paths)},
          {"gone", to_json(match.gone)},
          {"mirrored", match.pose.mirrored},
          {"features",
           {{"query", explanation.query_features},
            {"image", match.image.feature_count},
            {"second_look", or_null(explanation.second_look)}}},
          {"words",
           {{"query", explanation.query_words},
            {"image", explanation.image_words},
            {"common", explanation.common_words}}},
          {"votes", votes_of(explanation)},
          {"pairs", pairs_of(explanation)},
          {"pose",
           {{"inliers", explanation.attempt.inliers},
            {"places", explanation.attempt.cells},
            {"quad", quad_of(match)}}},
          {"refine",
           {{"compared", match.pose.moved_px.has_value() || evidence.identical},
            {"correlation", or_null(evidence.correlation)},
            {"detail", or_null(evidence.detail)},
            {"moved_px", moved_px_of(match)},
            {"colour", or_null(evidence.colour)},
            {"own_agreement", or_null(evidence.own_agreement)},
            {"difference", to_json(evidence.difference)},
            {"other_content", to_json(evidence.other_content)},
            {"identical", evidence.identical}}},
          {"probability", {{"value", match.probability}, {"terms", terms_of(explanation)}}},
          {"decision", to_string(match.decision)},
          {"answer", answer_of(explanation)},
          {"steps", steps_json(explanation)}};
}

Json image_answer(const IndexReader& index, const StoredImage& image) {
  Json same_form = Json::array();
  for (const PrintEdge& edge : index.prints(image.id)) {
    const std::optional<StoredImage> other = index.image(edge.image);
    if (other) same_form.push_back(text_of_path(other->paths.front()));
  }
  Json histogram = Json::array();
  for (const WordCount& entry : count_words(index.features(image.id).words)) {
    histogram.push_back(Json::array({entry.word, entry.count}));
  }
  Json answer = {{"id", image.id},
                 {"paths", to_json(image.paths)},
                 {"page", image.page},
                 {"content", to_hex(image.content)},
                 {"width", image.width},
                 {"height", image.height},
                 {"blank", image.blank},
                 {"features", image.feature_count},
                 {"pixels", image.sums.count},
                 {"mean", image.sums.mean()},
                 {"variance", image.sums.variance()},
                 {"same_form", std::move(same_form)},
                 {"histogram", std::move(histogram)}};
  add_origin(image.paths.front(), answer);
  return answer;
}

Json folders_answer(const IndexReader& index) {
  const std::vector<IndexRoot> roots = index.roots();
  PathSet paths;
  for (const IndexRoot& root : roots) paths.insert(root.path);
  // Number of files by innermost folder; "" for files outside all folders.
  std::map<std::string, std::size_t> files = {{"", index.counts().files}};
  for (const IndexRoot& root : roots) {
    const std::size_t below = index.files_below(root.path);
    const std::string* const outer = paths.innermost(folder_of(root.path));
    files[root.path] += below;
    files[outer == nullptr ? std::string() : *outer] -= below;
  }
  Json folders = Json::array();
  for (const IndexRoot& root : roots) {
    std::error_code error;
    folders.push_back(
        {{"path", text_of_path(root.path)},
         {"files", files[root.path]},
         {"withheld", root.withheld.size()},
         {"last_scan", root.scanned_ns > 0 ? Json(utc_text(root.scanned_ns)) : Json()},
         {"present", std::filesystem::is_directory(root.path, error)}});
  }
  return {{"folders", folders}, {"files_without_folder", files[""]}};
}

Json quarantine_answer(std::span<const SkippedFile> quarantine) {
  Json files = Json::array();
  for (const SkippedFile& file : quarantine) {
    files.push_back({{"path", text_of_path(file.file.path)},
                     {"reason", file.reason},
                     {"detail", file.detail},
                     {"size_bytes", file.file.size_bytes}});
  }
  return {{"quarantine", files}};
}

Json rejection_answer(const IndexReader& index, const Rejection& pair) {
  const auto image_of = [&](const ContentHash& content) -> std::optional<StoredImage> {
    const auto id = index.find(content);
    return id ? index.image(*id) : std::nullopt;
  };
  const auto id = [](const std::optional<StoredImage>& image) {
    return image ? Json(image->id) : Json();
  };
  const auto path = [](const std::optional<StoredImage>& image) {
    return image ? Json(text_of_path(image->paths.front())) : Json();
  };
  const auto first = image_of(pair.a);
  const auto second = image_of(pair.b);
  return {{"content", to_hex(pair.a)}, {"other_content", to_hex(pair.b)},
          {"since_ns", pair.since_ns}, {"id", id(first)},
          {"other_id", id(second)},    {"path", path(first)},
          {"other_path", path(second)}};
}

Json run_answer(const RunRecord& run) {
  const Json report = parse_json<Json>(run.document);
  return {{"id", run.id},
          {"command", run.command},
          {"started", utc_text(run.started_ns)},
          {"elapsed_seconds", run.elapsed_seconds},
          {"outcome", run.outcome},
          {"report", report.is_object() ? report : Json()}};
}

Json failed_answer(const char* what, const std::string& path, const SkippedFile& why) {
  const bool is_missing = why.reason == "vanished";  // in a scan; this file was named by the user
  const std::string reason = is_missing ? "no_such_file" : why.reason;
  const std::string message = is_missing ? "no such file" : why.detail;
  return {{what, text_of_path(path)},
          {"error", {{"kind", "input"}, {"reason", reason}, {"message", message}}}};
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
           {"colour", or_null(hit.colour)},
           {"quad", to_json(hit.quad)}});
    }
  }
  return answer;
}

Json group_answer(std::size_t number, const Group& group) {
  const auto path = [&](std::size_t place) { return text_of_path(group.files[place].file.path); };
  std::set<ImageId> images;
  Json files = Json::array();
  for (const GroupFile& file : group.files) {
    images.insert(file.image);
    files.push_back({{"path", text_of_path(file.file.path)},
                     {"id", file.image},
                     {"proposal", to_string(file.proposal)},
                     {"kind", file.related ? Json(to_string(file.kind)) : Json()},
                     {"of", file.related ? Json(path(*file.related)) : Json()},
                     {"probability", file.related ? Json(file.probability) : Json()},
                     {"width", file.size.width},
                     {"height", file.size.height},
                     {"size_bytes", file.file.size_bytes},
                     {"modified", utc_text(file.file.modified_ns)},
                     {"new", file.is_new},
                     {"same_print", file.same_print},
                     {"reason", file.reason.empty() ? Json() : Json(file.reason)}});
  }
  Json pairs = Json::array();
  for (const GroupPair& pair : group.pairs) {
    const Relation& relation = pair.relation;
    pairs.push_back({{"first", path(pair.first)},
                     {"second", path(pair.second)},
                     {"kind", to_string(relation.kind)},
                     {"probability", relation.probability},
                     {"correlation", or_null(pair.found.evidence.correlation)},
                     {"detail", or_null(pair.found.evidence.detail)},
                     {"difference", to_json(relation.difference)},
                     {"inliers", pair.found.evidence.inliers},
                     {"mirrored", pair.found.mirrored},
                     {"turn_degrees", to_thousandths(relation.turn_degrees)},
                     {"scale", relation.scale},
                     {"first_shown", to_thousandths(relation.first_shown)},
                     {"second_shown", to_thousandths(relation.second_shown)},
                     {"outline", to_json(relation.outline)},
                     {"joint", pair.is_joint}});
  }
  return {{"group", number}, {"images", images.size()}, {"files", files}, {"pairs", pairs}};
}

}  // namespace lookalike
