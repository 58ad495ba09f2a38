#include <memory>

#include <spdlog/spdlog.h>

#include "base/error.h"
#include "storage/index_writer.h"
#include "storage/schema.h"
#include "tools/lookalike/commands.h"
#include "tools/lookalike/index_file.h"

namespace lookalike {
namespace {

int migrate_index(const UpkeepArguments& arguments) {
  arguments.talk.apply();
  const std::string& database = arguments.index.must_exist();
  IndexWriter writer(database);  // brings it up to date
  spdlog::info("{}: is of format {}", database, kSchemaVersion);
  return kExitDone;
}

}  // namespace

void add_migrate_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("migrate", "Bring an index of an older lookalike up to date");
  command->footer(
      "Output: the same index in this version's format, changed in one transaction; one that is up "
      "to date stays as it is. `lookalike index` does the same by itself.\n"
      "Example: lookalike migrate --database photos.db");
  const auto arguments = std::make_shared<UpkeepArguments>(*command);
  command->callback([=, &action] { action = [=] { return migrate_index(*arguments); }; });
}

}  // namespace lookalike
