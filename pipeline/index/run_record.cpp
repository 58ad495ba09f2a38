#include "pipeline/index/run_record.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "pipeline/json.h"

namespace lookalike {
namespace {

Json counts_json(const IndexCounts& counts) {
  return {{"images", counts.images},     {"blank", counts.blank},
          {"files", counts.files},       {"quarantined", counts.quarantined},
          {"withheld", counts.withheld}, {"features", counts.features},
          {"words", counts.words},       {"postings", counts.postings},
          {"segments", counts.segments}};
}

Json folders_json(const IndexRunReport& report) {
  Json folders = Json::array();
  for (const RootReport& root : report.roots) {
    folders.push_back({{"path", text_of_path(root.path)},
                       {"state", root.state},
                       {"files", root.files},
                       {"withheld", root.withheld},
                       {"problem", root.problem}});
  }
  return folders;
}

// Returns the most frequent entries, since parse_json() refuses objects of more than
// kMostJsonMembers.
std::map<std::string, std::size_t> most_frequent(const std::map<std::string, std::size_t>& counts) {
  constexpr std::size_t kMost = 100;
  std::vector<std::pair<std::string, std::size_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::ranges::greater(),
                           &std::pair<std::string, std::size_t>::second);
  sorted.resize(std::min(sorted.size(), kMost));
  return {sorted.begin(), sorted.end()};
}

double per_second(std::size_t count, double seconds) {
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

std::int64_t now_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace

std::vector<std::string> incomplete_because(const IndexRunReport& report) {
  std::vector<std::string> reasons;
  if (report.stopped) reasons.emplace_back("it was stopped");
  for (const RootReport& root : report.roots) {
    if (root.state == kUnreachable) {
      reasons.push_back(fmt::format("{}: {}", printable(root.path), root.problem));
    }
    if (root.withheld > 0) {
      reasons.push_back(fmt::format("{}: the removal of {} is withheld", printable(root.path),
                                    counted(root.withheld, "file")));
    }
  }
  reasons.insert(reasons.end(), report.unread_folders.begin(), report.unread_folders.end());
  if (report.lost > 0) {
    reasons.push_back(
        fmt::format("{} that could be read before cannot be now", counted(report.lost, "file")));
  }
  return reasons;
}

const char* outcome_of(const IndexRunReport& report) {
  return incomplete_because(report).empty() ? "good" : "incomplete";
}

Json run_document(const IndexRunReport& report) {
  std::map<std::string, std::size_t> reasons;
  for (const SkippedFile& file : report.skipped) ++reasons[file.reason];
  const std::size_t seen = report.indexed + report.moved + report.unchanged + report.skipped.size();
  return {{"incomplete", incomplete_because(report)},
          {"files",
           {{"indexed", report.indexed},
            {"unchanged", report.unchanged},
            {"removed", report.removed},
            {"moved", report.moved},
            {"withheld", report.withheld},
            {"skipped", report.skipped.size()}}},
          {"read_again", report.read_again},
          {"folders", folders_json(report)},
          {"files_without_folder", report.files_without_root},
          {"blank", report.blank},
          {"featureless", report.featureless},
          {"damaged", report.damaged.size()},
          {"skipped_by_reason", reasons},
          {"newly_skipped", report.newly_skipped.size()},
          {"left_out",
           {{"hidden", report.left_out.hidden},
            {"excluded", report.left_out.excluded},
            {"system_folders", report.left_out.system_folders},
            {"linked_folders", report.left_out.linked_folders.size()},
            {"other_types", most_frequent(report.left_out.other_types)}}},
          {"trained_words", report.trained_words},
          {"device", report.device},
          {"busy_seconds", report.busy_seconds},
          {"rates",
           {{"files_per_second", per_second(seen, report.elapsed_seconds)},
            {"indexed_per_second", per_second(report.indexed, report.elapsed_seconds)}}},
          {"peak_memory_bytes", report.peak_memory_bytes},
          {"index", {{"before", counts_json(report.before)}, {"after", counts_json(report.after)}}},
          {"warnings", report.warnings}};
}

RunRecorder::RunRecorder(IndexWriter& writer, const char* command)
    : writer_(writer),
      start_(std::chrono::steady_clock::now()),
      started_ns_(now_ns()),
      id_(command == nullptr ? 0 : writer.begin_run(command, started_ns_)) {}

void RunRecorder::end(const IndexRunReport& report) {
  write(outcome_of(report), run_document(report));
}

void RunRecorder::fail(const std::string& message, const IndexRunReport* so_far) noexcept {
  try {
    Json document = {{"error", message}};
    if (so_far != nullptr) {
      document.update(run_document(*so_far));
      document["index"].erase("after");
    }
    write("failed", document);
  } catch (const std::exception&) {
    // The run never ends, and so counts as killed; see Catalogue::runs().
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
