#pragma once

#include "pipeline/index/index_run.h"

namespace lookalike {

// Gives an index a new codebook, when the collection has grown or [extract] changes. Builds a new
// index, DATABASE.retrain, of all folders and files of the index and of config.images.folders, and
// takes its content over in one transaction; queries use the old content until then. Resumes an
// incomplete DATABASE.retrain unless it was made under other settings. Reads all photos again:
// an index keeps only the word and 64 bits of a descriptor.
// Returns the report of indexing, with the counts of the index itself and the files that it lost
// because they are gone. Throws as run_index, and Error(kInput) when a folder or file of the index
// cannot be read, an image has no file, or run_index would withhold removals; the index is then
// unchanged. Throws Error(kStorage) when another command, or another program, made
// DATABASE.retrain.
IndexRunReport retrain_index(const RunConfig& config, Progress::Style style,
                             const StopRequest& stop);

}  // namespace lookalike
