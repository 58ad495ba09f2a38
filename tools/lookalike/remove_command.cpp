#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "pipeline/error.h"
#include "pipeline/printable.h"
#include "stages/command/command_line.h"
#include "storage/index_writer.h"
#include "tools/lookalike/commands.h"
#include "tools/lookalike/index_file.h"

namespace lookalike {
namespace {

struct Arguments {
  explicit Arguments(CLI::App& command) : index(command), talk(command) {
    command.add_option("PATH", paths, "Files, or folders for all that is below")
        ->required()
        ->type_name("");
  }
  IndexFile index;
  TalkArguments talk;
  std::vector<std::string> paths;
};

// Every path that the index knows, indexed or in quarantine.
std::vector<std::string> known_paths(const IndexWriter& writer) {
  std::vector<std::string> known;
  for (SourceFile& file : writer.files()) known.push_back(std::move(file.path));
  for (SkippedFile& file : writer.quarantine()) known.push_back(std::move(file.file.path));
  std::ranges::sort(known);
  return known;
}

// Of the sorted paths: this one and those below it.
std::vector<std::string> at_or_below(const std::vector<std::string>& known,
                                     const std::string& path) {
  std::vector<std::string> found;
  if (std::ranges::binary_search(known, path)) found.push_back(path);
  const std::string below = path + '/';
  for (auto at = std::ranges::lower_bound(known, below);
       at != known.end() && at->starts_with(below); ++at) {
    found.push_back(*at);
  }
  return found;
}

std::string without_slash(std::string path) {
  if (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

int remove_paths(const Arguments& arguments) {
  arguments.talk.apply();
  IndexWriter writer(arguments.index.must_exist());
  const std::vector<std::string> known = known_paths(writer);
  std::vector<std::string> gone;
  bool all_known = true;
  for (const std::string& path : arguments.paths) {
    const auto found = at_or_below(
        known, without_slash(std::filesystem::absolute(path).lexically_normal().string()));
    gone.insert(gone.end(), found.begin(), found.end());
    if (!found.empty()) continue;
    all_known = false;
    spdlog::warn("{}: is not in the index", printable(path));
  }
  writer.remove_paths(gone);
  spdlog::info("{} files removed", gone.size());
  return all_known ? kExitDone : kExitSkippedItems;
}

}  // namespace

void add_remove_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("remove", "Take files out of an index");
  command->footer(
      "Output: the index without them; exit code 1 when one was not in it. A file that still lies "
      "in "
      "an indexed folder comes back with the next `lookalike index`.\n"
      "Example: lookalike remove --database photos.db photos/cat.jpg photos/private");
  const auto arguments = std::make_shared<Arguments>(*command);
  command->callback([=, &action] { action = [=] { return remove_paths(*arguments); }; });
}

}  // namespace lookalike
