#include "pipeline/index/run_recorder.h"

#include <exception>

#include "pipeline/answers.h"
#include "pipeline/index/run_document.h"

namespace lookalike {
namespace {

std::int64_t now_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace

RunRecorder::RunRecorder(IndexWriter& writer, std::string_view command)
    : writer_(writer),
      start_(std::chrono::steady_clock::now()),
      started_ns_(now_ns()),
      id_(writer.begin_run(command, started_ns_)) {}

void RunRecorder::end(std::string_view outcome, const nlohmann::ordered_json& document) {
  write(outcome, document);
}

void RunRecorder::fail(const std::string& message, const IndexRunReport* so_far) noexcept {
  try {
    write("failed", failure_document(message, so_far));
  } catch (const std::exception&) {
    // Then the row says "running", and "killed" from the next run on.
  }
}

double RunRecorder::elapsed_seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void RunRecorder::write(std::string_view outcome, const nlohmann::ordered_json& document) {
  RunRecord run;
  run.id = id_;
  run.elapsed_seconds = elapsed_seconds();
  run.outcome = outcome;
  run.document = json_text(document);
  writer_.end_run(run);
}

}  // namespace lookalike
