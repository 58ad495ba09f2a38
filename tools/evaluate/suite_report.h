#pragma once

#include <string>

#include "pipeline/json.h"
#include "storage/output_file.h"
#include "tools/evaluate/suite.h"
#include "tools/report/page.h"

// The result of the synthetic suite, as text and as files.
namespace lookalike {

// Formats a line per kind and strength.
std::string suite_table(const SuiteResult& result);

// Returns the result as docs/schema/evaluate.json describes.
Json suite_json(const SuiteResult& result);

// Formats a CSV row (RFC 4180) per variant of each photo: photo,kind,strength,rank,iou,first, where
// rank 0 means not found.
std::string suite_answers_csv(const SuiteResult& result);
OutputKind suite_answers_kind();  // recognised by the header row

// Returns an HTML page with a chart per kind and the table.
std::string suite_page(const SuiteResult& result, Facts facts);

}  // namespace lookalike
