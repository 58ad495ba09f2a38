#pragma once

#include <functional>

#include "pipeline/index/index_run.h"
#include "tools/command_line/command_line.h"

// What the commands index and retrain have in common.
namespace lookalike {

struct IndexingArguments : OutputtingArguments {
  explicit IndexingArguments(CLI::App& command);
};

using Indexing =
    std::function<IndexRunReport(const RunConfig&, Progress::Style, const StopRequest&)>;

// Indexes into store.database, writes the metrics, and reports the run on stderr. SIGINT and
// SIGTERM stop the run. Returns the exit code.
int run_indexing(const Indexing& run, const IndexingArguments& arguments, RunConfig config,
                 Progress::Style style);

}  // namespace lookalike
