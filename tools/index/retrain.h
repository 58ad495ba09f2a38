#pragma once

#include "tools/index/index_run.h"

namespace lookalike {

// Gives an index a new codebook, for a collection that has grown or other settings of [extract]:
// makes a new index of config.images.folders beside it, DATABASE.retrain, and takes its content
// over in one transaction; queries answer from the old content until then. What is left of a
// retraining that was stopped or killed is brought up to date and gone on with, unless it was made
// under other settings.
// Returns what the run beside did, with the counts of the index itself. Throws as run_index, and
// Error(kInput) when the index has images under a folder that cannot be read now; the index is then
// as it was.
IndexRunReport retrain_index(const RunConfig& config, Progress::Style style,
                             const StopRequest& stop);

}  // namespace lookalike
