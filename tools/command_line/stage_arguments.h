#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/program.h"
#include "base/progress.h"
#include "pipeline/staged/single_stage.h"
#include "tools/command_line/command_line.h"

// What the executables of single stages have in common.
namespace lookalike {

// The files that a stage executable reads and the one that it writes: --output, --force, --update.
class StageArguments : public ComputeArguments {
 public:
  // output: the meaning of --output.
  StageArguments(CLI::App& app, const char* output);
  // Adds a required option for files that the program reads.
  CLI::Option* add_inputs(const char* option, std::vector<std::string>& files, const char* meaning);
  CLI::Option* add_input(const char* option, std::string& file, const char* meaning);

  // Returns a guard of --output; it protects the inputs and all that OutputArguments::guard() does.
  OutputGuard guard(const RunConfig& loaded) const;
  // Opens --output for records of this type, or for a Codebook.
  template <typename Record>
  OutputFile open(OutputGuard& guard) const {
    return guard.open("--output", output_, artefact_kind<Record>());
  }
  // True if --update is given and the outputs that the guard has opened are current, which a line
  // on stderr reports.
  bool is_current(const OutputGuard& guard) const;
  // Opens --output as the only output. Nothing if it is current.
  template <typename Record>
  std::optional<OutputFile> open_outdated(const RunConfig& loaded) const {
    OutputGuard guarded = guard(loaded);
    OutputFile file = open<Record>(guarded);
    return is_current(guarded) ? std::nullopt : std::optional(std::move(file));
  }

 private:
  CLI::App& app_;
  OutputArguments outputs_;
  std::string output_;
  bool update_ = false;
  std::vector<const std::vector<std::string>*> input_lists_;
  std::vector<const std::string*> inputs_;
};

// --shard, over the items that `items` names.
class ShardArgument {
 public:
  ShardArgument(CLI::App& app, const std::string& items);
  FileShard get() const { return parse_shard(text_); }

 private:
  std::string text_ = "0/1";
};

// Adds --images, --exclude, --hidden and --extensions; returns the first.
CLI::Option* add_folder_options(ConfigArguments& config);

// --skipped and --skipped-ok, for programs that set files aside.
class SkippedArguments {
 public:
  explicit SkippedArguments(CLI::App& app);
  std::optional<OutputFile> open(OutputGuard& guard) const;
  // Writes the files to `output`, if it is open, and reports each on stderr. Returns the exit code:
  // 1 when there are any, or when the list of images is not whole.
  int finish(std::optional<OutputFile> output, const std::vector<SkippedFile>& skipped,
             bool is_whole) const;

 private:
  std::string file_;
  bool ok_ = false;
};

// Runs a stage executable: reads its command line into `Arguments`, which is constructed from the
// app, loads the configuration and calls `run`. Returns the exit code of main().
template <typename Arguments>
int run_stage(int argc, const char* const* argv, const char* name, const char* description,
              int (*run)(const Arguments&, RunConfig config, Progress::Style style)) {
  return run_main(name, [&] {
    CLI::App app(description, name);
    const Arguments arguments(app);
    return parse_command_line(app, argc, argv) ? run_command(arguments, run) : kExitDone;
  });
}

}  // namespace lookalike
