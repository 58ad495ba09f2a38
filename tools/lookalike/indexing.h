#pragma once

#include <functional>

#include "pipeline/index/index_run.h"
#include "tools/command_line/command_line.h"

// What the commands index and retrain have in common.
namespace lookalike {

struct IndexingArguments : OutputtingArguments {
  explicit IndexingArguments(CLI::App& command);
  bool all_warnings = false;
};

using Indexing =
    std::function<IndexRunReport(const RunConfig&, Progress::Style, const StopRequest&)>;

// Indexes into store.database, writes the metrics, reports the run on stderr, and runs
// notify.command, also after a failure. SIGINT and SIGTERM stop the run. Returns the exit code.
//   command  "index" or "retrain"
int run_indexing(const char* command, const Indexing& run, const IndexingArguments& arguments,
                 const RunConfig& config, Progress::Style style);

}  // namespace lookalike
