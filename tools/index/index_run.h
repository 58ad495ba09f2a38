#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "config/options.h"
#include "pipeline/artefacts.h"
#include "pipeline/progress.h"
#include "storage/index_types.h"

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
  std::vector<std::string> warnings;
  IndexCounts before;  // what the index held
  IndexCounts after;
  std::uint64_t peak_memory_bytes = 0;  // of the process so far
  bool stopped = false;                 // when asked to: there is more to do
};

// Asked between the files of a scan and between batches; true: publish what is done and return.
using StopRequest = std::function<bool()>;

// Brings the index config.store.database up to date with config.images.folders: files that are new
// or whose size or time changed are indexed, files that are gone are removed, others cost nothing.
// An index without a codebook is given one first, trained on a sample of the images; a new index of
// some size, or one that has grown by half, is calibrated at the end.
// A run that is stopped removes no file for being gone: it may be one that was renamed and is yet
// to come. The index's record of runs is given a row, with run_document() in it.
// The index's content does not depend on the number of threads. A failure leaves the database as
// it was at the last batch that was published, and is thrown on: Error(kInput) when no image is
// found under the folders, or too few features for training; Error(kUsage) when the index was
// made under other settings; Error(kDevice), Error(kStorage).
IndexRunReport run_index(
    const RunConfig& config, Progress::Style style, const StopRequest& stop = [] { return false; });

}  // namespace lookalike
