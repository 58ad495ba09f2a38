#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/options.h"
#include "pipeline/duplicates/act.h"
#include "storage/index_reader.h"

// Acts on files of an index as a whole: by a plan, with its log, and with the index kept up to
// date.
namespace lookalike {

// Returns why files should not be moved to a folder: the next run would index them again, or it is
// a folder of the index itself by another path. Nothing if they may be.
std::optional<std::string> objection_to_folder(const std::string& folder, const IndexReader& index,
                                               const ImagesOptions& images);

// Plans to move files into a folder, which is not used for hard links.
ActionPlan plan_action(ActionKind kind, std::vector<Needless> files, const std::string& folder,
                       const IndexReader& index, const RunConfig& config);

// Returns the folder of a plan's log: the one that files are moved to, or the index's.
std::filesystem::path log_folder(const ActionPlan& plan);

// Where the files of an index lie.
Reach reach_of(const IndexReader& index, const ImagesOptions& images);

// What has become of a plan or log.
struct CarriedOut {
  ActionReport report;
  std::filesystem::path log;
  std::size_t steps = 0;  // of the plan, without files outside of the index
};

// Adds the companions of the files of a plan, gives its steps free names, writes its log, takes its
// steps, and removes moved files from the index, with a warning if that cannot be written. Holds
// the locks of the index and the log (ActionLock, take_log()) meanwhile. Throws as these and as
// write_log(), also if the log's folder is one of the index by another path, or if others could
// write the log. Leaves files that lie in no folder of the index.
CarriedOut carry_out(ActionPlan plan, const ImagesOptions& images, const AfterEach& after_each);

// Undoes a log under the same locks, within the folders of the index. Throws as read_log() and
// IndexReader.
//   databases  of the index; empty for those that the log names
CarriedOut undo_log(const std::filesystem::path& log, std::vector<std::filesystem::path> databases,
                    const ImagesOptions& images, const AfterEach& after_each);

}  // namespace lookalike
