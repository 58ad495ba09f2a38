#include <filesystem>
#include <memory>

#include <spdlog/spdlog.h>

#include "base/error.h"
#include "storage/index_writer.h"
#include "tools/lookalike/commands.h"
#include "tools/lookalike/index_file.h"

namespace lookalike {
namespace {

int compact(const UpkeepArguments& arguments) {
  arguments.talk.apply();
  const std::filesystem::path database = arguments.index.must_exist();
  const auto before = std::filesystem::file_size(database);
  IndexWriter(database).compact();
  spdlog::info("{} bytes before, {} now", before, std::filesystem::file_size(database));
  return kExitDone;
}

}  // namespace

void add_compact_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "compact", "Merge an index's segments and give unused space back to the file system");
  command->footer(
      "Output: the same index, smaller. Queries go on meanwhile; for a moment there must be room "
      "for a second copy.\n"
      "Example: lookalike compact --database photos.db");
  const auto arguments = std::make_shared<UpkeepArguments>(*command);
  command->callback([=, &action] { action = [=] { return compact(*arguments); }; });
}

}  // namespace lookalike
