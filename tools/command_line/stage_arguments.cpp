#include "tools/command_line/stage_arguments.h"

#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/text.h"
#include "storage/artefact_files.h"

namespace lookalike {

StageArguments::StageArguments(CLI::App& app, const char* output)
    : ComputeArguments(app), app_(app), outputs_(app) {
  add_value(app, "--output FILE", output_, output)->required();
  app.add_flag("--update", update_,
               "Do nothing if the outputs exist and are no older than the files that are read; "
               "images and options do not count");
}

CLI::Option* StageArguments::add_inputs(const char* option, std::vector<std::string>& files,
                                        const char* meaning) {
  input_lists_.push_back(&files);
  return add_value(app_, fmt::format("{} FILE", option), files, meaning)->required();
}

CLI::Option* StageArguments::add_input(const char* option, std::string& file, const char* meaning) {
  inputs_.push_back(&file);
  return add_value(app_, fmt::format("{} FILE", option), file, meaning)->required();
}

OutputGuard StageArguments::guard(const RunConfig& loaded) const {
  OutputGuard guard = outputs_.guard(config, loaded);
  for (const std::vector<std::string>* files : input_lists_) guard.add_inputs(*files);
  for (const std::string* file : inputs_) guard.add_input(*file);
  return guard;
}

bool StageArguments::is_current(const OutputGuard& guard) const {
  if (!update_ || !guard.outputs_are_current()) return false;
  spdlog::info("the outputs are up to date");
  return true;
}

ShardArgument::ShardArgument(CLI::App& app, const std::string& items) {
  add_value(app, "--shard I/N", text_,
            "Process only " + items +
                " I, I + N, I + 2N, ..., where I counts from 0; or I-of-N, where I counts from 1; "
                "or env, or env/N: I by the variables of an array task in Slurm, AWS Batch or, "
                "with N, Kubernetes");
}

CLI::Option* add_folder_options(ConfigArguments& config) {
  CLI::Option* const folders = config.add("images.folders");
  config.add_each("images.exclude");
  config.add({"images.hidden", "images.follow_links", "images.extensions"});
  return folders;
}

SkippedArguments::SkippedArguments(CLI::App& app) {
  add_value(app, "--skipped FILE", file_, "Also write the files that were skipped, and why");
  app.add_flag("--skipped-ok", ok_,
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
