#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "config/options.h"
#include "pipeline/artefacts.h"
#include "pipeline/progress.h"

namespace lookalike {

// What a run of `lookalike index` did.
struct IndexRunReport {
  std::size_t indexed = 0;    // files whose image is now in the index and was not, blank included
  std::size_t blank = 0;      // of these, images recorded as blank
  std::size_t unchanged = 0;  // files that the index knew already, with the same size and time
  std::size_t removed = 0;    // files that are gone, or are outside the folders now
  std::size_t trained_words = 0;               // 0: the index had a codebook already
  std::vector<SkippedFile> skipped;            // by path; those known from an earlier run included
  std::map<std::string, double> busy_seconds;  // by stage; stages overlap, decoding on all threads
  double elapsed_seconds = 0;
  std::string device;  // where the kernels ran; empty when nothing had to be computed
};

// Brings the index config.store.database up to date with config.images.folders: files that are new
// or whose size or time changed are indexed, files that are gone are removed, others cost nothing.
// An index without a codebook is given one first, trained on a sample of the images.
// The index's content does not depend on the number of threads. A failure leaves the database as
// it was at the last batch that was published, and is thrown on: Error(kInput) when no image is
// found under the folders, or too few features for training; Error(kUsage) when the index was
// made under other settings; Error(kDevice), Error(kStorage).
IndexRunReport run_index(const RunConfig& config, Progress::Style style);

}  // namespace lookalike
