#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/program.h"
#include "pipeline/answers.h"
#include "pipeline/calibrate/calibrate_index.h"
#include "storage/index_check.h"
#include "storage/index_reader.h"
#include "tools/lookalike/commands.h"
#include "tools/lookalike/index_file.h"

namespace lookalike {
namespace {

// What the index's readers beyond storage would not understand.
void check_calibration(const std::string& database, std::vector<std::string>& problems) {
  try {
    if (auto problem = problem_of_calibration(IndexReader(database))) {
      problems.push_back(*std::move(problem));
    }
  } catch (const Error& error) {
    if (problems.empty()) problems.emplace_back(error.what());
  }
}

int check(const ListArguments& arguments) {
  set_up_logging(Verbosity::kNormal);  // to stderr
  const std::string& database = arguments.index.must_exist();
  const bool empty = is_empty_index(database);
  std::vector<std::string> problems = check_index(database);
  if (!empty) check_calibration(database, problems);
  if (arguments.json) {
    fmt::print("{}\n", json_text({{"empty", empty}, {"problems", problems}}));
  } else {
    for (const std::string& problem : problems) fmt::print("{}\n", problem);
  }
  if (empty) spdlog::warn("{}: is empty: no run has come to its first table", database);
  if (problems.empty()) return kExitDone;
  throw Error(ErrorKind::kStorage,
              fmt::format("{}: {} found; restore a backup, or index anew, unless it names another "
                          "way",
                          database,
                          problems.size() == 1 ? "1 problem"
                                               : fmt::format("{} problems", problems.size())));
}

}  // namespace

void add_check_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("check", "Read all of an index and see whether it is whole");
  command->footer(
      "Output: what is wrong, one line each, and exit code 5; nothing, and exit code 0, when the "
      "index is whole. An empty one, which a first run leaves that is stopped at its start, is "
      "whole. May run while the index is used and written.\n"
      "Example: lookalike check --database photos.db");
  const auto arguments = std::make_shared<ListArguments>(*command);
  command->callback([=, &action] { action = [=] { return check(*arguments); }; });
}

}  // namespace lookalike
