#pragma once

#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "stages/match/explain.h"
#include "stages/match/locate/locate.h"
#include "stages/match/match.h"
#include "storage/index_reader.h"

// The answers of matching and of locating, and what an index holds, as JSON.
namespace lookalike {

using Json = nlohmann::ordered_json;
struct Group;
struct Rejection;

// One line of JSON; bytes that are not UTF-8 become U+FFFD, numbers that are not finite null.
std::string json_text(const Json& json);

// The version of all JSON that programs print and serve, which docs/schema/ describes. It rises with
// every change that may break a reader.
inline constexpr int kJsonSchema = 1;

// Adds that version as "schema", first.
Json with_schema(const Json& json);

// {"query": path, "found": n, "total": n, "matches": [{"id", "path", "page", "paths", "gone",
// "score", "probability", "decision", "mirrored", "rejected", "inliers", "correlation", "evidence",
// "moved_px", "quad"}, ...]}. total: how many there are, also beyond those listed; found: those of
// them that is_found() counts. paths: every file of the image, of which `path` is the first that
// exists; gone: those that do not. moved_px: how far, in full-size px of the query, the pixels
// moved the corner of the quad that they moved most. It and the correlation are null where the
// pixels were not compared, quad without a pose. Positions and moved_px are rounded to 1/1000,
// paths are as text_of_path() gives them.
Json query_answer(const std::string& query, const QueryResult& result);

// {"query": path, "id", "path", "page", "paths", "gone", "mirrored",
//  "features": {"query", "image", "second_look"}, "words": {"query", "image", "common"},
//  "votes": {"score", "ratio", "excess", "rank", "images", "shortlist", "shortlisted"},
//  "pairs": [{"query": [x, y], "image": [x, y], "inlier"}, ...],
//  "pose": {"inliers", "places", "quad"}, "refine": {"compared", "correlation", "detail",
//  "moved_px", "identical"}, "probability": {"value", "terms": [{"name", "value", "weight",
//  "product"}, ...]}, "decision",
//  "answer": {"listed", "place", "total", "decision", "rival": {"path", "features"}},
//  "steps": [{"step", "passed", "reason"}, ...]}.
// Null are: rank without a vote, quad without a pose, what was not compared, the answer's decision
// when a query does not verify the image, its place when that is not reported, rival without one.
// inliers and places of the pose: of the features; of the best attempt when there is no pose.
Json explain_answer(const std::string& query, const Explanation& explanation);

// Why a query or a scene was not answered: {"query": path, "error": {"kind", "reason", "message"}},
// `what` being "query", "image" or "scene". kind: always "input"; reason: one word for programs,
// "no_such_file" or as in SkippedFile.
Json failed_answer(const char* what, const std::string& path, const SkippedFile& why);

// The places of one object.
struct ObjectLocated {
  std::string object;
  Located located;
};

// {"scene": path, "hits": [{"object", "method", "centre", "position_error_px", "angle_degrees",
// "scale", "correlation", "quad"}, ...], "not_found": [{"object", "method", "reason"}, ...]};
// position_error_px is null where it could not be determined.
Json locate_answer(const std::string& scene, std::span<const ObjectLocated> objects);

// {"group": number, "images": n, "files": [{"path", "id", "proposal", "kind", "of", "probability",
// "width", "height", "size_bytes", "modified", "new"}, ...], "pairs": [{"first", "second", "kind",
// "probability", "correlation", "detail", "largest_difference", "inliers", "mirrored",
// "turn_degrees", "scale", "first_shown", "second_shown", "outline"}, ...]}. Best file first;
// proposal: "keep", "go" or "unknown"; kind: how the file relates to the file `of`, null for the
// first. Pairs are of images, each named by one of its files; the outline is that of the first in
// px of the second.
Json group_answer(std::size_t number, const Group& group);

// {"id", "paths", "page", "content", "width", "height", "blank", "features", "pixels", "mean",
// "variance", "histogram": [[word, count], ...]}.
Json image_answer(const IndexReader& index, const StoredImage& image);

// {"folders": [{"path", "files", "withheld", "last_scan", "present"}, ...],
// "files_without_folder"}; last_scan is null for none.
Json folders_answer(const IndexReader& index);

// {"quarantine": [{"path", "reason", "detail", "size_bytes"}, ...]}.
Json quarantine_answer(std::span<const SkippedFile> quarantine);

// {"content", "other_content", "since_ns", "id", "other_id", "path", "other_path"}; ids and paths
// are null for images that the index does not have.
Json rejection_answer(const IndexReader& index, const Rejection& pair);

// {"id", "command", "started", "elapsed_seconds", "outcome", "report"}; the report is null where
// the run left none.
Json run_answer(const RunRecord& run);

}  // namespace lookalike
