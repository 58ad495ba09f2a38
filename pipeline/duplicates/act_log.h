#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/files.h"
#include "pipeline/duplicates/act.h"

// The log of a plan, by which it is undone. storage/FORMATS.md has its form.
namespace lookalike {

// Returns the text of the log: a line of JSON about the plan, then one for each step.
std::string log_text(const ActionPlan& plan);

// Returns the name of a log in a folder: lookalike-20260131T020000Z.log, with a number before the
// ending if that exists.
std::filesystem::path new_log_name(const std::filesystem::path& folder);

// Writes and syncs the log, whole or not at all, such that only its owner can write it. It is
// locked as by take_log() while the returned file exists. Throws Error(kStorage), also if the name
// exists, and Error(kInput) if read_log() would not believe it, as where all may write.
std::unique_ptr<AtomicFile> write_log(const std::filesystem::path& file, const ActionPlan& plan);

// Reads a log. It is believed if it is a regular file, no link, of this user or root, and no
// other user can write it; and only so far: new names are below the folder where it lies now,
// wherever it was written. Throws Error(kInput) if it cannot be read or believed, is none, or has
// another version.
ActionPlan read_log(const std::filesystem::path& file);

// Reads a log after locking it, so that nobody else takes or undoes its steps until the lock is
// closed. Waits some seconds. Throws as read_log(), or Busy.
struct TakenLog {
  FileDescriptor lock;
  ActionPlan plan;
};
TakenLog take_log(const std::filesystem::path& file);

// Reads a plan from a file that begins otherwise, with lines up to the first of a log's text. As
// read_log(), but new names are below the folder that it names.
ActionPlan read_plan(const std::filesystem::path& file);

}  // namespace lookalike
