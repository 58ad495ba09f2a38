#pragma once

#include "pipeline/index/index_run.h"

namespace lookalike {

// Gives an index a new codebook, for a collection that has grown or other settings of [extract]:
// makes a new index beside it, DATABASE.retrain, of all folders and files of the index and of
// config.images.folders, and takes its content over in one transaction; queries are answered from
// the old content until then. A half-made one that an earlier retraining left is brought up to date
// and finished, unless it was made under other settings.
// Returns what the run beside did, with the counts of the index itself, and the files that the
// index lost because they are gone. Throws as run_index, and Error(kInput) when a folder or file of
// the index cannot be read, or when run_index would withhold removals; the index is then as it was.
IndexRunReport retrain_index(const RunConfig& config, Progress::Style style,
                             const StopRequest& stop);

}  // namespace lookalike
