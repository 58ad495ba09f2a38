#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/artefacts.h"
#include "base/progress.h"
#include "base/scan.h"
#include "config/options.h"
#include "pipeline/flow/stage_times.h"
#include "storage/index_types.h"

namespace lookalike {

// One folder of the index in a run.
struct RootReport {
  std::string path;
  // "scanned", "not_scanned" when the run did not name it, or "unreachable".
  std::string state;
  std::string problem{};     // why it is unreachable, or why removals were withheld
  std::size_t files = 0;     // in the index now
  std::size_t withheld = 0;  // of these, files that are gone and whose removal is withheld
};

// The result of a run of `lookalike index`.
struct IndexRunReport {
  std::size_t indexed = 0;        // files that were added with all their pages, blank ones included
  std::size_t blank = 0;          // pages that were recorded as blank
  std::size_t unchanged = 0;      // files that the index knew already, with the same size and time
  std::size_t removed = 0;        // files that are gone
  std::size_t moved = 0;          // files that are gone and whose content was found elsewhere
  std::size_t withheld = 0;       // files that are gone and were kept; see decide_removals()
  std::vector<RootReport> roots;  // every folder of the index, by path
  std::size_t files_without_root = 0;          // indexed files under none of them
  std::size_t trained_words = 0;               // 0: the index had a codebook already
  std::vector<SkippedFile> skipped;            // by path; those known from an earlier run included
  std::map<std::string, double> busy_seconds;  // by stage; stages overlap, decoding on all threads
  double elapsed_seconds = 0;
  std::string device;  // where the kernels ran; empty when nothing had to be computed
  Omissions left_out;  // by the scan
  std::vector<std::string> warnings;
  IndexCounts before;  // what the index held
  IndexCounts after;
  std::uint64_t peak_memory_bytes = 0;  // of the process so far
  bool stopped = false;                 // on request, with work left
  std::vector<StageSpan> spans;         // if IndexRunOptions asked for them
};

// Called between the files of a scan and between batches; true stops the run, which publishes what
// is done and returns.
using StopRequest = std::function<bool()>;

// Options that only some runs use.
struct IndexRunOptions {
  std::vector<std::string> confirmed_roots{};  // scanned, and their withheld removals applied
  std::vector<std::string> lone_files{};       // scanned as if a folder held them
  bool keep_spans = false;                     // for a timeline
  bool keep_earlier = true;                    // settings; see pipeline/index_settings.h
};

// Brings the index config.store.database up to date with config.images.folders, or with all folders
// that it knows when none is named: files that are new or whose size or time changed are indexed,
// files that are gone are removed as decide_removals() allows, others cost nothing. Folders that
// the index does not know yet are added; its files from other folders, or from none, stay. A known
// folder that cannot be scanned is reported, and its files stay. An index without a codebook gets
// one first, trained on a sample of the images; a new index of some size, or one that has grown by
// half, is calibrated at the end. A run that is stopped removes no file that is gone, which may
// have been renamed to one that was not read yet. The run is recorded in the index, with
// run_document(). The index's content does not depend on the number of threads. A failure leaves
// the database as it was at the last batch that was published, and leaves none that was new and
// holds nothing; it is rethrown: Error(kInput) when a new folder cannot be scanned, when a first
// run finds no image, or too few features for training; Error(kUsage) when there is no folder to
// scan, a confirmed root is not known, or the index was made under other settings, but for those
// that options.keep_earlier lets it keep; Error(kDevice), Error(kStorage).
IndexRunReport run_index(
    const RunConfig& config, Progress::Style style, const StopRequest& stop = [] { return false; },
    const IndexRunOptions& options = {});

// Raises the niceness of this process to options.niceness; threads that it starts inherit it.
// Returns the warning for a niceness that is higher already, or cannot be raised, and stays.
std::optional<std::string> raise_niceness(const RunOptions& options);

}  // namespace lookalike
