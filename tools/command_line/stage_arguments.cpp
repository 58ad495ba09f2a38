#include "tools/command_line/stage_arguments.h"

#include <utility>

#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/scan.h"
#include "base/text.h"
#include "storage/artefact_files.h"

namespace lookalike {
namespace {

bool lists(const std::string& manifest, const std::string& path) {
  ArtefactReader<SourceFile> reader(manifest);
  while (const std::optional<SourceFile> file = reader.next()) {
    if (file->path == path) return true;
  }
  return false;
}

}  // namespace

ShardArgument::ShardArgument(CLI::App& command, const std::string& items) {
  command
      .add_option("--shard", text_,
                  "Process only " + items +
                      " I, I + N, I + 2N, ..., where I counts from 0; or I-of-N, where I counts "
                      "from 1; or env, or env/N: I by the variables of an array task in Slurm, AWS "
                      "Batch or, with N, Kubernetes")
      ->type_name("I/N");
}

CLI::Option* add_folder_options(ConfigArguments& config) {
  CLI::Option* const folders = config.add("--images", "images.folders");
  config.add_each("--exclude", "images.exclude");
  config.add("--hidden", "images.hidden");
  config.add("--extensions", "images.extensions");
  return folders;
}

ImageArguments::ImageArguments(CLI::App& command, ConfigArguments& config)
    : shard_(command, "the images") {
  CLI::Option* const folders = add_folder_options(config);
  command.add_option("--manifest", manifest_, "File of lookalike-scan: the images to read")
      ->type_name("FILE")
      ->excludes(folders);
  config.add("--longest-side", "extract.longest_side_px");
  config.add("--threads", "images.decode_threads");
  config.add("--device", "device.choice");
}

OutputGuard ImageArguments::guard(const OutputArguments& outputs, const ConfigArguments& arguments,
                                  const RunConfig& config) const {
  OutputGuard guard = outputs.guard(arguments, config);
  if (!manifest_.empty()) {
    guard.add_input(manifest_);
    guard.protect_files([this, extensions = config.images.extensions](const std::string& path) {
      return is_image_name(path, extensions) && lists(manifest_, path);
    });
  }
  return guard;
}

StageOutputArguments::StageOutputArguments(CLI::App& command) : OutputArguments(command) {
  command.add_flag("--update", update_,
                   "Do nothing if the outputs are there and no older than the files that are read; "
                   "images and options do not count");
}

bool StageOutputArguments::is_done(const OutputGuard& guard) const {
  if (!update_ || !guard.outputs_are_current()) return false;
  spdlog::info("the outputs are up to date");
  return true;
}

SkippedArguments::SkippedArguments(CLI::App& command) {
  command.add_option("--skipped", file_, "Also write the files that were skipped, and why")
      ->type_name("FILE");
  command.add_flag("--skipped-ok", ok_,
                   "Exit with 0 even if files were skipped, but not if a folder could not be read");
}

std::optional<OutputFile> SkippedArguments::open(OutputGuard& guard) const {
  return guard.open_if_named("--skipped", file_, artefact_kind<SkippedFile>());
}

int SkippedArguments::finish(std::optional<OutputFile> output,
                             const std::vector<SkippedFile>& skipped, bool is_whole) const {
  if (output) {
    ArtefactWriter<SkippedFile> writer(*std::move(output));
    for (const SkippedFile& file : skipped) writer.write(file);
    writer.finish();
  }
  for (const SkippedFile& file : skipped) {
    spdlog::warn("skipped {}: {}: {}", printable(file.file.path), file.reason, file.detail);
  }
  return skipped.empty() || (ok_ && is_whole) ? kExitDone : kExitSkippedItems;
}

}  // namespace lookalike
