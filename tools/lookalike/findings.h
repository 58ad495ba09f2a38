#pragma once

#include <string>

#include "stages/match/locate.h"
#include "stages/match/match.h"
#include "tools/report/report.h"

namespace lookalike {

// What was found, as the report shows it.
ReportFinding finding_of(const Match& match);
ReportFinding finding_of(const std::string& object, LocateMethod method, const Hit& hit);

}  // namespace lookalike
