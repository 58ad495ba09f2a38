#pragma once

#include <filesystem>
#include <string>

#include "pipeline/groups/act.h"

// The log of a plan, by which it is undone. storage/FORMATS.md has its form.
namespace lookalike {

// Returns the bytes of the log.
std::string log_text(const ActionPlan& plan);

// Returns the name of a log in a folder: lookalike-20260131T020000Z.log, with a number before the
// ending if that exists.
std::filesystem::path new_log_name(const std::filesystem::path& folder);

// Writes and syncs the log, whole or not at all. Throws Error(kStorage), also if the name exists.
void write_log(const std::filesystem::path& file, const ActionPlan& plan);

// Reads a log. Throws Error(kInput) if it cannot be read, is none, or has another version.
ActionPlan read_log(const std::filesystem::path& file);

}  // namespace lookalike
