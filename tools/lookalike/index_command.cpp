#include "pipeline/index/index_run.h"
#include "storage/index_types.h"
#include "tools/lookalike/commands.h"
#include "tools/lookalike/indexing.h"

namespace lookalike {
namespace {

struct IndexArguments : IndexingArguments {
  explicit IndexArguments(CLI::App& command) : IndexingArguments(command) {
    add_each(command, "--confirm-removals DIR", confirmed_roots,
             "Remove the files of this folder whose removal the last run withheld");
  }
  std::vector<std::string> confirmed_roots;
};

int index_folders(const IndexArguments& arguments, RunConfig config, Progress::Style style) {
  arguments.config.choose_database(config);
  const auto run = [&](const RunConfig& chosen, Progress::Style shown, const StopRequest& stop) {
    try {
      return run_index(chosen, shown, stop, {.confirmed_roots = arguments.confirmed_roots});
    } catch (const OtherSettings& error) {
      throw OtherSettings(fmt::format("{}: lookalike retrain --database {}{}", error.what(),
                                      shell_word(text_of_path(chosen.store.database)),
                                      arguments.config.repeated_settings()));
    }
  };
  return run_indexing("index", run, arguments, config, style);
}

}  // namespace

void add_index_command(CLI::App& app, Action& action) {
  add_command(
      app, action, "index", "Index folders of photos, or update an existing index",
      "Input: the photos in the folders. The index remembers its folders: named ones are added, "
      "and without a name all are scanned. Left out are hidden files, recycle bins and "
      "other system folders, and what --exclude or a file .lookalikeignore in a folder names. An "
      "indexed "
      "file that is left out now counts as removed. --exclude holds for one run; patterns for "
      "every run belong in images.exclude or in .lookalikeignore. Without an option of [extract], "
      "the index's value holds.\n"
      "Output: the index file; a summary on stderr.\n"
      "Exit code: 0 for a good run; 1 for a good run that could not use some files, each reported "
      "with the reason; 7 for an incomplete one: a folder could not be scanned, removals were "
      "withheld, or files that could be read before cannot be now. SIGINT and SIGTERM finish and "
      "publish the current batch; such a run is incomplete, too, and the exit code is 130 or 143. "
      "After another one, the run has failed.\n"
      "Example: lookalike index ~/photos -d photos.db",
      index_folders);
}

}  // namespace lookalike
