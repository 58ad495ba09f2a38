#include "storage/index_writer.h"
#include "storage/schema.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

int migrate(const UpkeepArguments& arguments) {
  arguments.verbosity.apply();
  const std::string database = arguments.index.path();
  IndexWriter writer(database);  // migrates it
  spdlog::info("{}: has format {}", database, kSchemaVersion);
  return kExitDone;
}

}  // namespace

void add_migrate_command(CLI::App& app, Action& action) {
  add_command(app, action, "migrate", "Convert an index of an older lookalike to this version",
              "Output: the same index in this version's format, converted in one transaction; an "
              "index in that format is left unchanged. `lookalike index` migrates on its own.\n"
              "Example: lookalike migrate -d photos.db",
              migrate);
}

}  // namespace lookalike
