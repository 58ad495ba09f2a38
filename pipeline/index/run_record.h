#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "pipeline/index/index_run.h"
#include "storage/index_writer.h"

namespace lookalike {

// The report of a run as the index's record of runs keeps it: counts of files by outcome and of
// those set aside by reason, seconds by stage, rates, device, peak memory, what the index held
// before and holds now, warnings. docs/nightly.md names the keys.
nlohmann::ordered_json run_document(const IndexRunReport& report);

// One run's row in the index's record of runs: "running" from the start, so that one that is killed
// is seen. A recorder that is destroyed without an end leaves it so.
class RunRecorder {
 public:
  RunRecorder(IndexWriter& writer, std::string_view command);

  // With run_document(). Outcome: "stopped" or "done".
  void end(const IndexRunReport& report);
  // Records {"error": message} and, where so_far is given, the keys of run_document() but for what
  // the index holds now. Files are counted as they are handed on to be stored; the last of them may
  // not be in the index. Never throws: the user must see what made the run fail, which may also
  // prevent writing this down.
  void fail(const std::string& message, const IndexRunReport* so_far = nullptr) noexcept;

  double elapsed_seconds() const;
  std::int64_t started_ns() const { return started_ns_; }  // since the epoch

 private:
  void write(std::string_view outcome, const nlohmann::ordered_json& document);

  IndexWriter& writer_;
  const std::chrono::steady_clock::time_point start_;
  const std::int64_t started_ns_;
  const std::int64_t id_;
};

}  // namespace lookalike
