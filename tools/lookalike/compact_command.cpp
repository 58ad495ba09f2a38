#include <chrono>

#include "storage/index_writer.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

int compact(const UpkeepArguments& arguments) {
  const Progress::Style style = arguments.verbosity.apply();
  const std::filesystem::path database = arguments.index.path();
  const auto before = std::filesystem::file_size(database);
  {
    const Progress progress("compact", "", 0, style, std::chrono::seconds(1));
    IndexWriter(database).compact();
  }
  spdlog::info("{} bytes before, {} now", before, std::filesystem::file_size(database));
  return kExitDone;
}

}  // namespace

void add_compact_command(CLI::App& app, Action& action) {
  add_command(
      app, action, "compact",
      "Merge an index's segments and return unused space to the file system",
      "Output: the same index, smaller. Queries work meanwhile. Needs as much free space as "
      "the index takes, both beside it and in the folder for temporary files "
      "($SQLITE_TMPDIR, or /var/tmp).\n"
      "Example: lookalike compact -d photos.db",
      compact);
}

}  // namespace lookalike
