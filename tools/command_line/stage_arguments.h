#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "pipeline/staged/single_stage.h"
#include "tools/command_line/command_line.h"

// What the command lines of stage executables have in common.
namespace lookalike {

// --shard, over the items that `items` names.
class ShardArgument {
 public:
  ShardArgument(CLI::App& command, const std::string& items);
  Shard get() const { return parse_shard(text_); }

 private:
  std::string text_ = "0/1";
};

// The options of programs that look for images: --images, --exclude, --hidden, --extensions.
CLI::Option* add_folder_options(ConfigArguments& config);

// The options of programs that read images: those of add_folder_options(), --manifest in place of
// --images, --shard, --longest-side, --threads, --device.
class ImageArguments {
 public:
  ImageArguments(CLI::App& command, ConfigArguments& config);
  // As OutputArguments::guard(); the guard protects the manifest and the files that it lists as
  // well. This must outlive the guard's last open(), which throws as ArtefactReader for the
  // manifest.
  OutputGuard guard(const OutputArguments& outputs, const ConfigArguments& arguments,
                    const RunConfig& config) const;
  Shard shard() const { return shard_.get(); }
  // The images of the shard. Throws as list_images().
  ImageList list(const RunConfig& config, const Shard& shard) const {
    return list_images(config.images, manifest_, shard);
  }

 private:
  ShardArgument shard_;
  std::string manifest_;
};

// --force and --update, for programs whose outputs depend on their inputs alone.
class StageOutputArguments : public OutputArguments {
 public:
  explicit StageOutputArguments(CLI::App& command);
  // Whether --update is given and the outputs that the guard has opened are current, which a line
  // on stderr says.
  bool is_done(const OutputGuard& guard) const;

 private:
  bool update_ = false;
};

// --skipped and --skipped-ok, for programs that set files aside.
class SkippedArguments {
 public:
  explicit SkippedArguments(CLI::App& command);
  std::optional<OutputFile> open(OutputGuard& guard) const;
  // Writes the files to `output`, if it is open, and reports each on stderr. Returns the exit code:
  // 1 when there are any, or when the list of images is not whole.
  int finish(std::optional<OutputFile> output, const std::vector<SkippedFile>& skipped,
             bool is_whole) const;

 private:
  std::string file_;
  bool ok_ = false;
};

}  // namespace lookalike
