#include "base/program.h"
#include "pipeline/duplicates/rejections.h"
#include "pipeline/index/merge.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

struct MergeArguments : ComputeArguments {
  explicit MergeArguments(CLI::App& command) : ComputeArguments(command) {
    add_value(command, "INDEX", sources, "The indexes to add")->required();
    config.add_database();
  }
  std::vector<std::string> sources;
};

// Checks that a new index neither replaces another file nor takes the name of an image.
void claim_target(const MergeArguments& arguments, const RunConfig& config,
                  const std::filesystem::path& target) {
  OutputGuard guard;
  guard.add_input(arguments.config.file());
  guard.add_inputs(arguments.sources);
  protect_images(guard, config, nullptr);
  for (const std::string& source : arguments.sources) {
    for (const IndexRoot& root : IndexReader(std::filesystem::path(source)).roots()) {
      guard.protect_folder(root.path, config.images.extensions);
    }
  }
  guard.claim_index("--database", target);
}

int merge(const MergeArguments& arguments, RunConfig config, Progress::Style style) {
  const std::filesystem::path target = arguments.config.choose_database(config);
  const std::vector<std::filesystem::path> sources(arguments.sources.begin(),
                                                   arguments.sources.end());
  check_mergeable(sources, target);
  claim_target(arguments, config, target);
  IndexWriter writer(target);
  for (const std::filesystem::path& source : sources) {
    const std::uint64_t before = writer.counts().images;
    const IndexReader index(source);
    merge_index(writer, index, config.store, style);
    add_rejections(target, read_rejections(source));
    spdlog::info("{}: {}, {} of them new", printable(source.native()),
                 counted(index.counts().images, "image"), writer.counts().images - before);
  }
  return kExitDone;
}

}  // namespace

void add_merge_command(CLI::App& app, Action& action) {
  add_command(app, action, "merge", "Add indexes of the same codebook to another, or to a new one",
              "Output: the index of --database with the images, files, quarantine, folders and "
              "rejections of the others, which stay unchanged. An index that knows a file with "
              "different content is refused as a whole; indexes before it stay merged. After an "
              "interruption, the same command completes the merge.\n"
              "Example: lookalike merge -d all.db photos.db scans.db",
              merge);
}

}  // namespace lookalike
