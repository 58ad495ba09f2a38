#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "pipeline/index/index_run.h"
#include "storage/index_writer.h"

namespace lookalike {

// One run's row in the index's record of runs: "running" from the start, so that one that is killed
// is seen. A recorder that goes without an end leaves it so.
class RunRecorder {
 public:
  RunRecorder(IndexWriter& writer, std::string_view command);

  // outcome: "done" or "stopped".
  void end(std::string_view outcome, const nlohmann::ordered_json& document);
  // Never throws: what made the run fail is what the user must hear of, and it may well keep us
  // from writing this down. so_far: what was done by then, where that is known.
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
