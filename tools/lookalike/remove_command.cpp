#include "pipeline/named.h"
#include "storage/index_writer.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

struct RemoveArguments : UpkeepArguments {
  explicit RemoveArguments(CLI::App& command) : UpkeepArguments(command) {
    add_value(command, "PATH", paths,
              "Files, folders with everything below them, or names of images without files")
        ->required();
  }
  std::vector<std::string> paths;
};

int remove_paths(const RemoveArguments& arguments) {
  arguments.verbosity.apply();
  IndexWriter writer(arguments.index.path());
  bool all_known = true;
  for (const std::string& argument : arguments.paths) {
    const std::string path = stored_name(writer, argument);
    const NamedRemoval removal = removal_of(path, writer);
    if (removal.empty()) {
      all_known = false;
      spdlog::warn("{}: is not in the index", printable(argument));
      continue;
    }
    const auto indexed = std::ranges::count_if(
        removal.files, [&](const std::string& file) { return writer.find(file).has_value(); });
    const auto set_aside = std::ssize(removal.files) - indexed;
    writer.remove_paths(removal.files);
    writer.forget_roots(removal.roots);
    for (const std::string& root : removal.roots) {
      spdlog::info("{}: is no longer a folder of the index", printable(root));
    }
    spdlog::info("{}: {} {} removed{}", printable(path), indexed, indexed == 1 ? "file" : "files",
                 set_aside > 0 ? fmt::format(", and {} from quarantine", set_aside) : "");
  }
  return all_known ? kExitDone : kExitSkippedItems;
}

}  // namespace

void add_remove_command(CLI::App& app, Action& action) {
  add_command(app, action, "remove", "Remove files or folders from an index",
              "Output: the index without them; exit code 1 when one was not in it. A folder that "
              "`lookalike folders` lists is no longer indexed. A file or folder inside one that is "
              "returns with the next `lookalike index`.\n"
              "Example: lookalike remove -d photos.db ~/photos/cat.jpg ~/photos/private",
              remove_paths);
}

}  // namespace lookalike
