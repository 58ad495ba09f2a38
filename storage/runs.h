#pragma once

#include <string_view>
#include <vector>

#include "storage/index_types.h"
#include "storage/sqlite.h"

// The table `runs`, written within the caller's transaction.
namespace lookalike {

// Adds a run that is "running" and returns its id. Runs that still are have been killed, since
// there is one writer, and are marked so.
std::int64_t begin_run(Connection& connection, std::string_view command, std::int64_t started_ns);
// Sets elapsed_seconds, outcome and document of the run with this id.
void end_run(Connection& connection, const RunRecord& run);

// The last `count` runs, newest first.
std::vector<RunRecord> read_runs(const Connection& connection, std::size_t count);

}  // namespace lookalike
