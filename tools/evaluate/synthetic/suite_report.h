#pragma once

#include <string>

#include "storage/output_file.h"
#include "tools/evaluate/synthetic/suite.h"
#include "tools/report/page.h"

// What a run of the suite says, to people and to programs.
namespace lookalike {

// A line for each kind and strength.
std::string suite_table(const SuiteResult& result);

// {"photos", "left_out": [{"path", "why"}, ...], "results": [{"kind", "strength", "unit",
// "queries", "recall_at_1", "located_at_iou_75"}, ...]} in one line.
std::string suite_json(const SuiteResult& result);

// A line for each variant of each photo: "photo,kind,strength,rank,iou,first"; a rank of 0 is not
// found. Names are quoted as RFC 4180 has it.
std::string suite_answers_csv(const SuiteResult& result);

// These tables, recognised by their header row.
OutputKind suite_answers_kind();

// A page with a chart for each kind and the table.
std::string suite_page(const SuiteResult& result, Facts facts);

}  // namespace lookalike
