#include "base/program.h"
#include "pipeline/duplicates/rejections.h"
#include "pipeline/searcher.h"
#include "pipeline/stored_calibration.h"
#include "storage/index_check.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

// Adds problems of the settings and the calibration, which storage does not interpret.
void check_values(const std::string& database, std::vector<std::string>& problems) {
  try {
    const IndexReader index(database);
    if (auto problem = problem_of_calibration(index)) problems.push_back(*std::move(problem));
    if (index.stored_codebook()) extract_options_of(index);
  } catch (const Error& error) {
    if (problems.empty()) problems.emplace_back(error.what());
  }
}

// Adds the problem of the pairs that the user has rejected, which cannot be recomputed.
void check_rejections(const std::string& database, std::vector<std::string>& problems) {
  try {
    read_rejections(database);
  } catch (const Error& error) {
    problems.emplace_back(error.what());
  }
}

struct CheckArguments : ListArguments {
  explicit CheckArguments(CLI::App& command)
      : ListArguments(command, {.columns = {"problem"}}), verbosity(command) {}
  VerbosityArguments verbosity;
};

int check(const CheckArguments& arguments) {
  const Progress::Style style = arguments.verbosity.apply();
  const std::string database = arguments.index.path();
  const bool empty = is_empty_index(database);
  std::vector<std::string> problems = check_index(database, style);
  if (!empty) check_values(database, problems);
  check_rejections(database, problems);
  Json rows = Json::array();
  for (const std::string& problem : problems) rows.push_back({{"problem", problem}});
  Printer(arguments.format).print({{"empty", empty}, {"problems", problems}}, rows, [&] {
    for (const std::string& problem : problems) {
      fmt::print("{}\n", wrapped(problem, text_columns(), 0, 2));
    }
  });
  if (empty) spdlog::warn("{}: is empty: no run has created its first table", database);
  if (problems.empty()) return kExitDone;
  throw Error(ErrorKind::kStorage,
              fmt::format("{}: {} problem{} found; restore a backup or index anew, unless the "
                          "problem names another remedy",
                          database, problems.size(), problems.size() == 1 ? "" : "s"));
}

}  // namespace

void add_check_command(CLI::App& app, Action& action) {
  add_command(app, action, "check", "Read an entire index and verify that it is intact",
              "Output: one line per problem, and exit code 5; nothing, and exit code 0, when the "
              "index is intact. An empty index, left by a first run that was stopped early, is "
              "intact. Reads the rejected pairs beside the index as well. May run while the index "
              "is read and written.\n"
              "Example: lookalike check -d photos.db",
              check);
}

}  // namespace lookalike
