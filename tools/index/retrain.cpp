#include "tools/index/retrain.h"

#include <exception>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "pipeline/error.h"
#include "pipeline/printable.h"
#include "storage/index_reader.h"
#include "storage/other_settings.h"
#include "tools/index/run_document.h"
#include "tools/index/run_recorder.h"
#include "tools/index/update_plan.h"

namespace lookalike {
namespace {

void remove_index(const std::string& database) {
  for (const char* ending : {"", "-wal", "-shm", ".work"}) {
    std::error_code ignored;
    std::filesystem::remove_all(database + ending, ignored);
  }
}

// Whether the index has this very content: it was swapped in, and the run was killed before it
// could remove what it came from.
bool is_swapped_in(const IndexWriter& writer, const std::string& beside) {
  try {
    const Settings settings = IndexReader(beside).settings();
    return !settings.empty() && settings == writer.settings();
  } catch (const Error&) {
    return false;
  }
}

IndexRunReport index_beside(const RunConfig& config, Progress::Style style,
                            const StopRequest& stop) {
  if (std::filesystem::exists(config.store.database)) {
    try {
      return run_index(config, style, stop);
    } catch (const OtherSettings&) {
      remove_index(config.store.database);
    }
  }
  return run_index(config, style, stop);
}

// An index keeps what is out of sight; one that is made anew has not got it.
void require_all_in_sight(const IndexWriter& writer, const std::string& beside,
                          const std::vector<SkippedFile>& skipped) {
  const OutOfSight out_of_sight(skipped);
  const IndexReader made(beside);
  for (const SourceFile& file : writer.files()) {
    const SkippedFile* const skip = out_of_sight.covering(file.path);
    if (skip == nullptr || made.find(file.path)) continue;
    throw Error(ErrorKind::kInput,
                fmt::format("{}: {}, and what the index has from it would be lost: make it "
                            "readable, or take it out with `lookalike remove`",
                            printable(skip->file.path), skip->detail));
  }
}

}  // namespace

IndexRunReport retrain_index(const RunConfig& config, Progress::Style style,
                             const StopRequest& stop) {
  if (!std::filesystem::exists(config.store.database)) {
    throw Error(ErrorKind::kInput, config.store.database + ": there is no such index");
  }
  RunConfig beside = config;
  beside.store.database += ".retrain";
  // An index may be named by a link, but nobody was asked for this one.
  std::error_code ignored;
  if (std::filesystem::is_symlink(beside.store.database, ignored)) {
    throw Error(ErrorKind::kStorage, beside.store.database + ": is a link, not a file");
  }
  IndexWriter writer(config.store.database);
  RunRecorder recorder(writer, "retrain");
  try {
    const IndexCounts before = IndexReader(config.store.database).counts();
    if (is_swapped_in(writer, beside.store.database)) remove_index(beside.store.database);
    IndexRunReport report = index_beside(beside, style, stop);
    if (!report.stopped) {
      require_all_in_sight(writer, beside.store.database, report.skipped);
      writer.replace_content(beside.store.database);
      remove_index(beside.store.database);
    }
    report.before = before;
    report.after = IndexReader(config.store.database).counts();
    recorder.end(report.stopped ? "stopped" : "done", run_document(report));
    return report;
  } catch (const std::exception& error) {
    recorder.fail(error.what());
    throw;
  }
}

}  // namespace lookalike
