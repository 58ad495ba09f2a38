#pragma once

#include <filesystem>
#include <string>

#include "storage/index_reader.h"
#include "storage/output_file.h"

namespace lookalike {

// An index and its last runs, for a monitor.
struct IndexMetrics {
  std::string database;
  IndexCounts counts;
  std::uint64_t size_bytes = 0;
  RunRecord last_run;       // id 0: none
  RunRecord last_good_run;  // the last with outcome "done"
};

// In the text format of Prometheus, for the textfile collector of its node_exporter.
std::string metrics_text(const IndexMetrics& metrics);

// Of an index that was opened from this file. Throws as IndexReader, and Error(kStorage) when the
// file has disappeared since.
IndexMetrics read_metrics(const IndexReader& index, const std::filesystem::path& database);

// Files of metrics_text(), recognised by their first line.
OutputKind metrics_kind();

// Writes an index's metrics. Throws as read_metrics() and OutputFile.
void write_metrics(const std::filesystem::path& database, OutputFile& file);

}  // namespace lookalike
