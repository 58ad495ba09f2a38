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
#include "stages/decode/load.h"
#include "storage/index_types.h"

namespace lookalike {

inline constexpr const char* kUnreachable = "unreachable";  // the state of a RootReport

// A root folder of the index in a run.
struct RootReport {
  std::string path;
  // "scanned", "not_scanned" if the run did not name it, or kUnreachable.
  std::string state;
  std::string problem{};     // why it is unreachable, or why removals were withheld
  std::size_t files = 0;     // in the index now
  std::size_t withheld = 0;  // among them, gone files whose removal is withheld
};

// The result of a run of `lookalike index`.
struct IndexRunReport {
  std::size_t indexed = 0;      // files with new content, with all their pages; not moved ones
  std::size_t blank = 0;        // pages that were recorded as blank
  std::size_t featureless = 0;  // other pages without features
  // Indexed files with pixels that the reader had to guess, in the order of this run; `detail` is
  // its message.
  std::vector<SkippedFile> damaged;
  std::size_t unchanged = 0;  // files in the index already, with the same content
  // Files among them that were read, by why; see reasons_to_read().
  std::map<std::string, std::size_t> read_again;
  std::size_t removed = 0;        // files that are gone or no images any more
  std::size_t moved = 0;          // the same, but their content was found elsewhere
  std::size_t withheld = 0;       // the same, but they were kept; see decide_removals()
  std::vector<RootReport> roots;  // all of the index, by path
  // Indexed files that could be read before this run and could not be read or decoded now.
  std::size_t lost = 0;
  // Folders below roots that hold indexed files and could not be read to their end, with the
  // reason.
  std::vector<std::string> unread_folders;
  std::size_t files_without_root = 0;          // indexed files outside all roots
  std::size_t trained_words = 0;               // 0: the index had a codebook already
  std::vector<SkippedFile> skipped;            // by path, including those of earlier runs
  std::vector<SkippedFile> newly_skipped;      // by path, as newly_skipped() finds them
  std::map<std::string, double> busy_seconds;  // by stage; stages overlap
  double elapsed_seconds = 0;
  std::string device;  // that ran the kernels; empty if there was nothing to compute
  Omissions left_out;  // by the scan
  std::vector<std::string> warnings;
  IndexCounts before;  // the run
  IndexCounts after;
  std::uint64_t peak_memory_bytes = 0;  // whole process
  bool stopped = false;                 // on request, with work left
  std::vector<StageSpan> spans;         // with IndexRunOptions::keep_spans
};

// Called between the files of a scan and between batches. Returning true stops the run, which
// publishes finished work and returns.
using StopRequest = std::function<bool()>;

// Options that only some runs use.
struct IndexRunOptions {
  std::vector<std::string> confirmed_roots{};  // to scan, applying their withheld removals
  std::vector<std::string> lone_files{};       // to scan like the files of a folder
  bool keep_spans = false;                     // for a timeline
  bool keep_settings = true;                   // by keep_settings()
  const char* command = "index";               // in the record of the run; nullptr: none is kept
  ImageLoader load{};                          // reads the images; empty for files
};

// Brings the index config.store.database up to date with config.images.folders, or with all its
// roots if no folder is named. Indexes files that are new or have another size or time, and removes
// gone files as decide_removals() allows; the others cost nothing. Adds new folders as roots. Files
// of other roots, of no root, and of known roots that cannot be scanned stay.
//
// An index without a codebook first gets one, trained on a sample of the images. An index is
// calibrated at the end if is_calibration_due(). The content does not depend on the number of
// threads. A stopped run removes no gone file, which may have been renamed to a file not read yet.
//
// Records the run in the index, with run_document(). A failure leaves the database as of the last
// published batch, and removes it if it is new and empty. Throws Error(kInput) when a new folder
// cannot be scanned, or a first run finds no image or too few features for training; Error(kUsage)
// when there is no folder to scan, a confirmed root is unknown, or the index was made under other
// settings (see options.keep_settings); Error(kDevice); Error(kStorage). No run is recorded if the
// folders to scan are at fault.
IndexRunReport run_index(
    const RunConfig& config, Progress::Style style, const StopRequest& stop = [] { return false; },
    const IndexRunOptions& options = {});

// Adds images that have no files, under names of their own, and calibrates the index and compares
// them as run_index() does. A name that the index has gets the new image. Images that cannot be
// used are in IndexRunReport::skipped, and change nothing.
//
// A name is in use until it is removed; is_path() tells it from a path, so runs over folders leave
// it alone. Keeps no record of the run. Throws as run_index(), and Error(kUsage) for a name that is
// empty, begins with a slash, has a control character, or ends as the name of a page does.
//   load  reads the image of a name, perhaps several times
IndexRunReport add_images(
    const RunConfig& config, std::vector<std::string> names, const ImageLoader& load,
    Progress::Style style, const StopRequest& stop = [] { return false; });

// Raises the niceness of this process and its future threads to options.niceness. Returns a warning
// if it is higher already or cannot be raised.
std::optional<std::string> raise_niceness(const RunOptions& options);

}  // namespace lookalike
