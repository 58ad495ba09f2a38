#include "pipeline/index/run_document.h"

#include "base/text.h"

namespace lookalike {
namespace {

using Json = nlohmann::ordered_json;

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

double per_second(std::size_t count, double seconds) {
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

}  // namespace

Json run_document(const IndexRunReport& report) {
  std::map<std::string, std::size_t> reasons;
  for (const SkippedFile& file : report.skipped) ++reasons[file.reason];
  const std::size_t seen = report.indexed + report.unchanged + report.skipped.size();
  return {{"files",
           {{"indexed", report.indexed},
            {"unchanged", report.unchanged},
            {"removed", report.removed},
            {"moved", report.moved},
            {"withheld", report.withheld},
            {"skipped", report.skipped.size()}}},
          {"folders", folders_json(report)},
          {"files_without_folder", report.files_without_root},
          {"blank", report.blank},
          {"skipped_by_reason", reasons},
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

Json failure_document(const std::string& message, const IndexRunReport* so_far) {
  Json document = {{"error", message}};
  if (so_far == nullptr) return document;
  document.update(run_document(*so_far));
  document["index"].erase("after");
  return document;
}

}  // namespace lookalike
