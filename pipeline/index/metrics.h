#pragma once

#include <filesystem>
#include <string>

#include "storage/index_reader.h"
#include "storage/output_file.h"

namespace lookalike {

// What a monitor wants to know of an index, and of the run that wrote it last.
struct IndexMetrics {
  std::string database;
  IndexCounts counts;
  std::uint64_t size_bytes = 0;
  RunRecord last_run;       // id 0: there was none
  RunRecord last_good_run;  // the last that was done
};

// In the text format of Prometheus, for the textfile collector of its node_exporter.
std::string metrics_text(const IndexMetrics& metrics);

// Of an index that was opened from this file. Throws as IndexReader, and Error(kStorage) when the
// file has gone since.
IndexMetrics read_metrics(const IndexReader& index, const std::filesystem::path& database);

// Files of metrics_text(), recognised by their first line.
OutputKind metrics_kind();

// Writes an index's metrics. Throws as read_metrics() and OutputFile.
void write_metrics(const std::filesystem::path& database, OutputFile& file);

}  // namespace lookalike
