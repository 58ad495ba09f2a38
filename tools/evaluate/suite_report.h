#pragma once

#include <string>

#include "pipeline/answers.h"
#include "storage/output_file.h"
#include "tools/evaluate/suite.h"
#include "tools/report/page.h"

// The result of the synthetic suite, as text and as files.
namespace lookalike {

// A line per kind and strength.
std::string suite_table(const SuiteResult& result);

// {"photos", "left_out": [{"path", "why"}, ...], "results": [{"kind", "strength", "unit",
// "queries", "recall_at_1", "recall_at_1_confirmed", "located_at_iou_75"}, ...]}. Paths are as
// text_of_path() gives them.
Json suite_json(const SuiteResult& result);

// A row per variant of each photo: photo,kind,strength,rank,iou,first, where rank 0 means not
// found. Names are quoted as in RFC 4180.
std::string suite_answers_csv(const SuiteResult& result);
OutputKind suite_answers_kind();  // recognised by the header row

// An HTML page with a chart per kind and the table.
std::string suite_page(const SuiteResult& result, Facts facts);

}  // namespace lookalike
