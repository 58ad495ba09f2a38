#include <memory>

#include <fmt/format.h>

#include "pipeline/error.h"
#include "stages/match/answers.h"
#include "storage/index_check.h"
#include "tools/lookalike/commands.h"
#include "tools/lookalike/index_file.h"

namespace lookalike {
namespace {

int check(const ListArguments& arguments) {
  const std::vector<std::string> problems = check_index(arguments.index.must_exist());
  if (arguments.json) {
    fmt::print("{}\n", json_text({{"problems", problems}}));
  } else {
    for (const std::string& problem : problems) fmt::print("{}\n", problem);
  }
  if (problems.empty()) return kExitDone;
  throw Error(ErrorKind::kStorage,
              fmt::format("{}: {} problems found; restore a backup, or index anew",
                          arguments.index.must_exist(), problems.size()));
}

}  // namespace

void add_check_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("check", "Read all of an index and see whether it is whole");
  command->footer(
      "Output: what is wrong, one line each; nothing, and exit code 0, when the index is whole, "
      "else exit "
      "code 5. May run while the index is used and written.\n"
      "Example: lookalike check --database photos.db");
  const auto arguments = std::make_shared<ListArguments>(*command);
  command->callback([=, &action] { action = [=] { return check(*arguments); }; });
}

}  // namespace lookalike
