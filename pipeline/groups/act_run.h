#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/options.h"
#include "pipeline/groups/act.h"
#include "storage/index_reader.h"

// Acts on files of an index as a whole: by a plan, with its log, and with the index kept up to
// date.
namespace lookalike {

// Returns why files should not be moved to a folder: the next run would index them again. Nothing
// if they may be.
std::optional<std::string> objection_to_folder(const std::string& folder, const IndexReader& index,
                                               const ImagesOptions& images);

// Plans to move files into a folder, which is not used for hard links.
ActionPlan plan_action(ActionKind kind, std::vector<Needless> files, const std::string& folder,
                       const IndexReader& index);

// Returns the folder of a plan's log: the one that files are moved to, or the index's.
std::filesystem::path log_folder(ActionKind kind, const std::string& folder,
                                 const RunConfig& config);

// Writes the log of a plan, takes its steps, and removes moved files from the index, with a warning
// if that cannot be written. Throws as write_log().
ActionReport carry_out(const ActionPlan& plan, const std::filesystem::path& log,
                       const RunConfig& config, const AfterEach& after_each);

}  // namespace lookalike
