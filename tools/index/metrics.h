#pragma once

#include <filesystem>
#include <string>

#include "storage/index_reader.h"

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

// Writes an index's metrics to a file that appears whole. Throws as read_metrics(), and
// Error(kStorage) when the file cannot be written.
void write_metrics(const std::filesystem::path& database, const std::filesystem::path& file);

}  // namespace lookalike
