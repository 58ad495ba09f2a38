#include <filesystem>

#include <spdlog/spdlog.h>

#include "base/error.h"
#include "storage/index_writer.h"
#include "storage/schema.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

int compact(const UpkeepArguments& arguments) {
  arguments.verbosity.apply();
  const std::filesystem::path database = arguments.index.path();
  const auto before = std::filesystem::file_size(database);
  IndexWriter(database).compact();
  spdlog::info("{} bytes before, {} now", before, std::filesystem::file_size(database));
  return kExitDone;
}

int migrate_index(const UpkeepArguments& arguments) {
  arguments.verbosity.apply();
  const std::string database = arguments.index.path();
  IndexWriter writer(database);  // migrates it
  spdlog::info("{}: has format {}", database, kSchemaVersion);
  return kExitDone;
}

}  // namespace

void add_compact_command(CLI::App& app, Action& action) {
  add_command(
      app, action, "compact",
      "Merge an index's segments and return unused space to the file system",
      "Output: the same index, smaller. Queries continue to work meanwhile. Needs as "
      "much free space as the index takes twice: beside it, and in the folder for temporary "
      "files ($SQLITE_TMPDIR, or /var/tmp).\n"
      "Example: lookalike compact -d photos.db",
      compact);
}

void add_migrate_command(CLI::App& app, Action& action) {
  add_command(app, action, "migrate", "Convert an index of an older lookalike to this version",
              "Output: the same index in this version's format, converted in one transaction; an "
              "index in that format is left unchanged. `lookalike index` migrates on its own.\n"
              "Example: lookalike migrate -d photos.db",
              migrate_index);
}

}  // namespace lookalike
