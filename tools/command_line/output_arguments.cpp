#include "tools/command_line/output_arguments.h"

#include <algorithm>
#include <string>
#include <vector>

namespace lookalike {
namespace {

bool is_known(const IndexReader& index, const std::string& path) {
  const std::vector<SkippedFile> quarantine = index.quarantine();
  return index.find(path) || std::ranges::any_of(quarantine, [&](const SkippedFile& skipped) {
           return skipped.file.path == path;
         });
}

}  // namespace

void protect_images(OutputGuard& guard, const RunConfig& config, const IndexReader* index) {
  for (const std::string& folder : config.images.folders) {
    guard.protect_folder(folder, config.images.extensions);
  }
  if (index == nullptr) return;
  for (const IndexRoot& root : index->roots()) {
    guard.protect_folder(root.path, config.images.extensions);
  }
  guard.protect_files([index](const std::string& path) { return is_known(*index, path); });
}

OutputArguments::OutputArguments(CLI::App& command) {
  command.add_flag(
      "--force", force_,
      "Replace files that lookalike did not write, and read-only ones; never an input, "
      "an index, or an image in an indexed folder");
}

OutputGuard OutputArguments::guard(const ConfigArguments& arguments, const RunConfig& config,
                                   const IndexReader* index) const {
  OutputGuard guard(force_);
  if (arguments.has_file()) guard.add_input(arguments.file());
  if (!config.store.database.empty()) guard.add_index(config.store.database);
  protect_images(guard, config, index);
  return guard;
}

}  // namespace lookalike
