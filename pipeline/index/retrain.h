#pragma once

#include "pipeline/index/index_run.h"

namespace lookalike {

// Gives an index a new codebook, for a collection that has grown or other settings of [extract]:
// makes a new index beside it, DATABASE.retrain, of all folders and files of the index and of
// config.images.folders, and takes its content over in one transaction; queries use the old content
// until then. An incomplete one that an earlier retraining left is updated and finished, unless it
// was made under other settings.
// Photos are read again, since an index keeps of a descriptor no more than its word and 64 bits.
// Returns the report of the run beside, with the counts of the index itself and the files that the
// index lost because they are gone. Throws as run_index, and Error(kInput) when a folder or file of
// the index cannot be read, or when run_index would withhold removals; the index is then unchanged.
IndexRunReport retrain_index(const RunConfig& config, Progress::Style style,
                             const StopRequest& stop);

}  // namespace lookalike
