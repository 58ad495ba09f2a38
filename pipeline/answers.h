#pragma once

#include <optional>
#include <span>
#include <string>

#include "pipeline/headline.h"
#include "pipeline/json.h"
#include "stages/decode/metadata.h"
#include "stages/match/explain.h"
#include "stages/match/locate/locate.h"
#include "stages/match/match.h"
#include "storage/index_reader.h"

// Answers of the commands and of lookalike serve as JSON. docs/schema/ describes the keys of each.
// Paths are as text_of_path() gives them; positions are rounded to 1/1000 px.
namespace lookalike {

struct Group;
struct Rejection;

// Returns what the metadata at the start of a file say, empty where they do not. Nothing if the
// file cannot be read, or there is no reader of metadata.
std::optional<PhotoOrigin> read_origin(const std::string& path);

// Adds the same as "taken" and "camera", null where it is empty or unknown.
void add_origin(const std::string& path, Json& answer);

// True if nothing sure was found, and the best match has a pose under which the pixels of both
// pictures differ as those of a picture and its mirror image do.
bool may_be_mirrored(const QueryResult& result);

// "evidence" of a match in query.json.
Json evidence_answer(const Evidence& evidence);

// query.json
Json query_answer(const std::string& query, const QueryResult& result, Asked asked = Asked::kPhoto);

// Corners, as in "quad".
Json quad_answer(const Quad& quad);

// A pair of features, as in "pairs" of explain.json.
Json pair_answer(const ExplainedPair& pair);

// explain.json
Json explain_answer(const std::string& query, const Explanation& explanation);

// The answer for a query or scene that cannot be used: {`what`: path, "error": {"kind": "input",
// "reason", "message"}}, with `what` "query", "image" or "scene". The reason is one word:
// "no_such_file" or SkippedFile::reason.
Json failed_answer(const char* what, const std::string& path, const SkippedFile& why);

// The places of one object.
struct ObjectLocated {
  std::string object;
  Located located;
};

// locate.json
Json locate_answer(const std::string& scene, std::span<const ObjectLocated> objects);

// One group of duplicates.json.
Json group_answer(std::size_t number, const Group& group);

// show.json
Json image_answer(const IndexReader& index, const StoredImage& image);

// folders.json
Json folders_answer(const IndexReader& index);

// quarantine.json
Json quarantine_answer(std::span<const SkippedFile> quarantine);

// One pair of reject.json.
Json rejection_answer(const IndexReader& index, const Rejection& pair);

// One run of runs.json.
Json run_answer(const RunRecord& run);

}  // namespace lookalike
