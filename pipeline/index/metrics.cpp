#include "pipeline/index/metrics.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "pipeline/index/index_run.h"
#include "pipeline/json.h"

namespace lookalike {
namespace {

// Runs to search for the last one with outcome "good".
constexpr std::size_t kRunsLookedAt = 1000;

constexpr std::array<std::string_view, 5> kOutcomes = {"good", "incomplete", "failed", "killed",
                                                       "running"};

// Escapes a label's value.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

class MetricsText {
 public:
  explicit MetricsText(const std::string& database)
      : database_(fmt::format("database=\"{}\"", escaped(database))) {}

  void describe(std::string_view name, std::string_view meaning) {
    text_ += fmt::format("# HELP lookalike_{0} {1}\n# TYPE lookalike_{0} gauge\n", name, meaning);
  }
  template <typename Number>
  void add(std::string_view name, Number value, const std::string& more_labels = {}) {
    text_ += fmt::format("lookalike_{}{{{}{}}} {}\n", name, database_,
                         more_labels.empty() ? "" : "," + more_labels, value);
  }
  template <typename Number>
  void add_one(std::string_view name, std::string_view meaning, Number value) {
    describe(name, meaning);
    add(name, value);
  }
  // Adds a line per numeric member of an object: NAME{LABEL="key"} value.
  void add_each(std::string_view name, std::string_view meaning, std::string_view label,
                const nlohmann::json& object) {
    if (!object.is_object()) return;
    describe(name, meaning);
    for (const auto& [key, value] : object.items()) {
      if (value.is_number()) {
        add(name, value.get<double>(), fmt::format("{}=\"{}\"", label, escaped(key)));
      }
    }
  }
  std::string take() { return std::move(text_); }

 private:
  const std::string database_;
  std::string text_;
};

double end_seconds(const RunRecord& run) {
  return static_cast<double>(run.started_ns) / 1e9 + run.elapsed_seconds;
}

void add_counts(MetricsText& text, const IndexMetrics& metrics) {
  const IndexCounts& counts = metrics.counts;
  text.add_one("index_images", "Images in the index.", counts.images);
  text.add_one("index_files", "Files in the index.", counts.files);
  text.add_one("index_quarantined_files", "Files in quarantine, which cannot be indexed.",
               counts.quarantined);
  text.add_one("index_withheld_files", "Gone files whose removal was withheld.", counts.withheld);
  text.add_one("index_features", "Features of all images.", counts.features);
  text.add_one("index_words", "Visual words in the codebook.", counts.words);
  text.add_one("index_segments", "Segments of postings.", counts.segments);
  text.add_one("index_bytes", "Size of the index file.", metrics.size_bytes);
}

void add_last_run(MetricsText& text, const RunRecord& run) {
  text.describe("run_outcome", "1 for the outcome of the last run, 0 for the others.");
  for (const std::string_view outcome : kOutcomes) {
    text.add("run_outcome", outcome == run.outcome ? 1 : 0, fmt::format("outcome=\"{}\"", outcome));
  }
  text.add_one("run_start_timestamp_seconds", "When the last run started.",
               static_cast<double>(run.started_ns) / 1e9);
  text.add_one("run_seconds", "Duration of the last run.", run.elapsed_seconds);
  const auto report = parse_json<nlohmann::json>(run.document);
  if (!report.is_object()) return;
  text.add_each("run_files", "Files of the last run by outcome.", "outcome",
                report.value("files", nlohmann::json()));
  if (const auto folders = report.find("folders"); folders != report.end()) {
    text.add_one("run_unreachable_folders", "Folders that the last run could not scan.",
                 std::ranges::count_if(*folders, [](const nlohmann::json& folder) {
                   return folder.value("state", "") == kUnreachable;
                 }));
  }
  text.add_each("run_skipped_files", "Files that the last run could not use, by reason.", "reason",
                report.value("skipped_by_reason", nlohmann::json()));
  text.add_each("run_stage_seconds", "Busy seconds of the last run by stage.", "stage",
                report.value("busy_seconds", nlohmann::json()));
  if (const auto reasons = report.find("incomplete"); reasons != report.end()) {
    text.add_one("run_incomplete_reasons", "Reasons why the last run was incomplete.",
                 reasons->size());
  }
  if (const auto peak = report.find("peak_memory_bytes"); peak != report.end()) {
    text.add_one("run_peak_memory_bytes", "Peak memory of the last run.",
                 peak->get<std::uint64_t>());
  }
}

}  // namespace

std::string metrics_text(const IndexMetrics& metrics) {
  MetricsText text(metrics.database);
  add_counts(text, metrics);
  if (metrics.last_run.id != 0) add_last_run(text, metrics.last_run);
  if (metrics.last_good_run.id != 0) {
    text.add_one("last_good_run_timestamp_seconds", "When the last good run ended.",
                 end_seconds(metrics.last_good_run));
  }
  return text.take();
}

IndexMetrics read_metrics(const IndexReader& index, const std::filesystem::path& database) {
  IndexMetrics metrics;
  metrics.database = database;
  metrics.counts = index.counts();
  std::error_code error;
  metrics.size_bytes = std::filesystem::file_size(database, error);
  if (error) {
    throw Error(ErrorKind::kStorage,
                fmt::format("{}: its size cannot be read: {}", database.string(), error.message()));
  }
  for (const RunRecord& run : index.runs(kRunsLookedAt)) {
    if (metrics.last_run.id == 0) metrics.last_run = run;
    if (run.outcome != "good") continue;
    metrics.last_good_run = run;
    break;
  }
  return metrics;
}

OutputKind metrics_kind() {
  // The first line of add_counts(). Keep it stable: each nightly run replaces the last one's file.
  return kind_that_begins("a metrics file of lookalike", "# HELP lookalike_index_images ");
}

void write_metrics(const std::filesystem::path& database, OutputFile& file) {
  write_whole(file, metrics_text(read_metrics(IndexReader(database), database)));
}

}  // namespace lookalike
