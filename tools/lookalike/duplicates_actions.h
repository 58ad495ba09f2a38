#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/program.h"
#include "pipeline/duplicates/act.h"
#include "tools/command_line/command_line.h"

namespace lookalike {

// The options by which `lookalike duplicates` acts on what it proposes.
struct ActionArguments {
  explicit ActionArguments(CLI::App& command);

  bool is_given() const { return !move_to.empty() || hard_link; }

  std::string move_to;
  bool hard_link = false;
  std::string script;
  std::string carry_out;
  std::string undo;
};

// Throws Error(kUsage) for options that contradict each other, and for a folder to move to in which
// the next run would index the files again.
void check_actions(const ActionArguments& arguments, const IndexReader& index,
                   const RunConfig& config);

// Warns of files that were left as they are, one line each, of the first 20.
void warn_of_left(const std::vector<std::string>& left);

// Opens the file of --script, if given.
std::optional<OutputFile> open_script(const ActionArguments& arguments, OutputGuard& guard);

// Acts on files, or writes the script, and removes moved files from the index. Returns the exit
// code: kExitSkippedItems if files were left as they are.
int act_on(std::vector<Needless> files, const ActionArguments& arguments, const IndexReader& index,
           const RunConfig& config, std::optional<OutputFile>& script, StopSignal& stop);

// Does what the script of --carry-out says. Returns the exit code.
int carry_out_script(const std::string& script, const RunConfig& config);

// Puts back what the log of --undo says. Returns the exit code.
//   databases  of the index; empty for those that the log names
int undo_actions(const std::string& log, std::vector<std::filesystem::path> databases,
                 const RunConfig& config);

}  // namespace lookalike
