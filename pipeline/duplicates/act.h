#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/artefacts.h"
#include "base/displace_file.h"
#include "pipeline/duplicates/groups.h"

// Moves files that can go, or makes them hard links, and puts them back. Nothing is
// deleted, and what stays is never touched. A plan is written to a log (act_log.h) before the first
// step. What a killed run has done shows in the files themselves, so that undo() and a new plan end
// clean.
namespace lookalike {

// A file that may go, and the one that stays for it, as when they were compared.
struct Needless {
  SourceFile file;
  ContentHash content{};
  SourceFile stays;  // of a companion, the other picture's; without a path if nothing stays for it
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
  std::string to{};                      // the new name; kMove only
  std::vector<ActionStep> companions{};  // of a picture (companions.h): they go with it
};

struct ActionPlan {
  ActionKind kind = ActionKind::kMove;
  std::string folder{};                            // holds all new names; kMove only
  std::vector<std::filesystem::path> databases{};  // of the index that has the files
  std::vector<ActionStep> steps{};
};

// Plans to move files into a folder, below which they keep their paths from `base`. Drops files
// that another one stays for.
ActionPlan plan_moves(std::vector<Needless> files, const std::string& folder,
                      const std::string& base);
// Plans to make exact copies further names of the files that stay. Drops all others.
ActionPlan plan_hard_links(std::vector<Needless> files);

// Adds to each step the companions that its file has now, and the equal companion of the file that
// stays. No companion is added twice. A companion is left out if another picture needs it that
// stays, if the plan moves it as a picture, or, for hard links, if it cannot be linked to an equal
// one that stays or already is.
void add_companions(ActionPlan& plan);

// Gives new names that are taken, by files or by each other, a number, which is the same for a
// picture and its companions: photo.2.jpg, photo.2.xmp.
void choose_free_names(ActionPlan& plan);

struct ActionReport {
  std::vector<std::string> done;        // paths of files that went, or came back
  std::vector<std::string> companions;  // the same of their companions
  // A sentence for each file that was left as it is: "/photos/a.jpg: has changed".
  std::vector<std::string> left;
};

// Takes the steps of a plan, each wholly or not at all: a picture that cannot take its companions
// along stays, and a companion stays while another picture that it belongs to does. Holds each file
// and the one that stays, and compares them right before and after its step, exact copies byte by
// byte. Hard links are made only between files of the same owner, mode, ACL and extended
// attributes. Calls after_each(steps) after each file, and stops when it returns false.
using AfterEach = std::function<bool(std::size_t)>;
ActionReport act(const ActionPlan& plan, const AfterEach& after_each, const AfterStep& after_step);

// Where an undo may put files: below these folders, which have the form of normal_path().
struct Reach {
  std::vector<std::string> folders;
  FolderLinks links = FolderLinks::kRefuse;  // of folders below them that are links
};

// True if a path is within reach.
bool is_reached(const std::string& path, const Reach& reach);

// Puts back what the plan moved or linked, the last first. Replaces nothing, and moves only files
// with the hash that the plan has. Steps that were never taken, or are undone already, count for
// nothing.
ActionReport undo(const ActionPlan& plan, const Reach& reach, const AfterEach& after_each,
                  const AfterStep& after_step);

// Returns how many steps stand: their files are at the new name, or linked. Looks only at files
// within reach.
std::size_t standing_steps(const ActionPlan& plan, const Reach& reach);

}  // namespace lookalike
