#pragma once

#include <string>

#include "stages/match/locate/locate.h"
#include "stages/match/match.h"
#include "tools/report/report.h"

// What was found, in the words of the terminal and of the report.
namespace lookalike {

// "2 found", "nothing found", "nothing sure found", "12 found, 10 of 15 listed". Found is what is
// the same object or a duplicate.
std::string headline(const QueryResult& result);

// What is known of a match: decision, probability and so on, each where there is something to say.
Facts facts_of(const Match& match);

// A path, with what to do about it when no file is there any more.
std::string path_text(const Match& match, const std::string& path);

ReportEntry entry_of(const std::string& photo, const QueryResult& result);
ReportFinding finding_of(const std::string& object, LocateMethod method, const Hit& hit);

}  // namespace lookalike
