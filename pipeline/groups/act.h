#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/artefacts.h"
#include "base/move_file.h"
#include "pipeline/groups/groups.h"

// Moves files that can go, or makes them hard links, and puts them back. Nothing is
// deleted, and what stays is never touched. A plan is written to a log (act_log.h) before the first
// step. What a killed run has done shows in the files themselves, so that undo() and a new plan end
// clean.
namespace lookalike {

// A file that may go, and the one that stays for it, as when they were compared.
struct Needless {
  SourceFile file;
  ContentHash content{};
  SourceFile stays;
  ContentHash stays_content{};
  bool is_exact = false;  // both have the same bytes
};

// Returns the files of a group that may go. The index must be the group's.
std::vector<Needless> needless_files(const Group& group, const IndexReader& index);

// Returns what speaks against it now: "is gone", "has changed", or the same of the file that stays;
// nothing if both are as they were. A file whose times or inode alone have changed is read.
std::optional<std::string> objection_to(const Needless& needless);

enum class ActionKind { kMove, kHardLink };

struct ActionStep {
  Needless needless;
  std::string to{};  // the new name; kMove only
  // How the file was, to put it back; kHardLink only.
  mode_t mode = 0;
  uid_t owner = 0;
  gid_t group = 0;
};

struct ActionPlan {
  ActionKind kind = ActionKind::kMove;
  std::string folder{};  // holds all new names; kMove only
  std::vector<ActionStep> steps{};
};

// Plans to move files into a folder, below which they keep their paths from `base`. A name that is
// taken by other bytes gets a number: photo.2.jpg. Drops files that another one stays for.
ActionPlan plan_moves(std::vector<Needless> files, const std::string& folder,
                      const std::string& base);
// Plans to make exact copies further names of the files that stay. Drops all others.
ActionPlan plan_hard_links(std::vector<Needless> files);

// Returns the name of a hard link before it takes the place of a file.
std::string temporary_link_name(const std::string& file);

struct ActionReport {
  std::vector<std::string> done;  // paths of files that went, or came back
  // A sentence for each file that was left as it is: "/photos/a.jpg: has changed".
  std::vector<std::string> left;
};

// Takes the steps of a plan. Compares each file and the one that stays right before its step, exact
// copies byte by byte. Calls after_each(steps) after each file, and stops when it returns false.
using AfterEach = std::function<bool(std::size_t)>;
ActionReport act(const ActionPlan& plan, const AfterEach& after_each, const AfterStep& after_step);

// Puts back what the plan moved or linked, the last first. Steps that were never taken, or are
// undone already, count for nothing.
ActionReport undo(const ActionPlan& plan, const AfterEach& after_each, const AfterStep& after_step);

// Returns how many steps stand: their files are at the new name, or linked.
std::size_t standing_steps(const ActionPlan& plan);

}  // namespace lookalike
