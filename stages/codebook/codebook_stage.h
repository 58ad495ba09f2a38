#pragma once

#include "base/artefacts.h"
#include "config/options.h"
#include "kernels/session/session.h"
#include "stages/codebook/kmeans.h"
#include "stages/codebook/sample.h"

namespace lookalike {

// Stage codebook: words by k-means, a random projection, and the thresholds that make signatures.
// The same sample, options and device give the same codebook; it has fewer words than planned when
// the sample has fewer different features. Throws what the watch throws.
Codebook train_codebook(OpenClSession& session, const Sample& sample,
                        const CodebookOptions& options, const TrainingWatch& watch = {});

}  // namespace lookalike
