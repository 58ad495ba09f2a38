#pragma once

#include <string>

#include "config/options.h"
#include "pipeline/index/index_run.h"

// notify.command and notify.url, which a user sets to hear of nightly runs.
namespace lookalike {

// Runs notify.command, if there is one, in a shell and waits for it, at most notify.seconds; then
// kills it with the processes that it started. On its standard input it finds an object in one
// line: schema, database, command, outcome, summary, report as in `lookalike runs --json`, and
// newly_skipped, up to 100 files with path, reason and detail. Its environment has
// LOOKALIKE_OUTCOME, LOOKALIKE_SUMMARY and LOOKALIKE_DATABASE; what it prints goes to stderr.
//
// Then has the program curl request heartbeat_url(), if notify.url is set, within the same time.
// Never throws: what goes wrong is a warning, since the run itself has ended.
//   command  "index" or "retrain"
//   summary  the result of the run in a line
void notify_of_run(const RunConfig& config, const std::string& command, const std::string& summary,
                   const IndexRunReport& report) noexcept;

// The same for a failed run, whose outcome is "failed", report {"error": error} and newly_skipped
// empty.
void notify_of_failure(const RunConfig& config, const std::string& command,
                       const std::string& error) noexcept;

// Returns the address to request after a run: the URL for a good one, else URL/fail, with the
// outcome as a further parameter of its query.
std::string heartbeat_url(const std::string& url, const std::string& outcome);

}  // namespace lookalike
