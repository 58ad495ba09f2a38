#pragma once

#include <filesystem>
#include <string>

#include "storage/index_reader.h"
#include "storage/output_file.h"

namespace lookalike {

// State of an index for monitoring.
struct IndexMetrics {
  std::string database;
  IndexCounts counts;
  std::uint64_t size_bytes = 0;
  RunRecord last_run;       // id 0: none
  RunRecord last_good_run;  // the last with outcome "good"; id 0: none
};

// Formats metrics as text for the textfile collector of Prometheus' node_exporter.
std::string metrics_text(const IndexMetrics& metrics);

// Reads the metrics of an index; `database` is the file it was opened from. Throws as IndexReader,
// and Error(kStorage) when the file has disappeared.
IndexMetrics read_metrics(const IndexReader& index, const std::filesystem::path& database);

// Returns the kind of files that metrics_text() gives, recognised by their first line.
OutputKind metrics_kind();

// Writes an index's metrics. Throws as read_metrics() and OutputFile.
void write_metrics(const std::filesystem::path& database, OutputFile& file);

}  // namespace lookalike
