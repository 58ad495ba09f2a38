#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "pipeline/index/index_run.h"
#include "storage/index_writer.h"

namespace lookalike {

// Returns the report of a run as the index keeps it: files by outcome, skipped files by reason,
// seconds by stage, rates, device, peak memory, the index before and after, and warnings.
// docs/nightly.md describes the keys.
nlohmann::ordered_json run_document(const IndexRunReport& report);

// Returns why a run is incomplete, in words for people; empty if it is good. It is incomplete if it
// was stopped, a folder could not be read, removals were withheld, or files were lost. New files
// that cannot be used make no run incomplete.
std::vector<std::string> incomplete_because(const IndexRunReport& report);

// Returns "good" or "incomplete", the outcome of a run that reached its end or was stopped. The
// other outcomes are "failed", and "killed" for a run that never ended.
const char* outcome_of(const IndexRunReport& report);

// The record of one run in its index: "running" from the start, so that a killed run shows; see
// Catalogue::runs(). Stays so if the recorder is destroyed before end() or fail().
class RunRecorder {
 public:
  // command: nullptr to keep no record, only the time.
  RunRecorder(IndexWriter& writer, const char* command);

  // Records outcome_of() the run, with run_document().
  void end(const IndexRunReport& report);
  // Records "failed" with {"error": message} and, if so_far is given, the keys of run_document()
  // except the index after the run. Files count once they are queued for storing, so the last ones
  // may not be in the index. Never throws: what made the run fail, and must be reported, may also
  // prevent recording it.
  void fail(const std::string& message, const IndexRunReport* so_far = nullptr) noexcept;

  // Forgets the run, which was asked for in error.
  void discard() { writer_.forget_run(id_); }

  double elapsed_seconds() const;
  std::int64_t started_ns() const { return started_ns_; }  // since the epoch

 private:
  void write(std::string_view outcome, const nlohmann::ordered_json& document);

  IndexWriter& writer_;
  const std::chrono::steady_clock::time_point start_;
  const std::int64_t started_ns_;
  const std::int64_t id_;  // 0, which no run has, without a record
};

}  // namespace lookalike
