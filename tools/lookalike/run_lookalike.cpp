#include <string_view>

#include <spdlog/spdlog.h>

#include "base/program.h"
#include "pipeline/device/open_session.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

// Names that other programs give to a command.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"search", "query"},  {"find", "query"},   {"lookup", "query"}, {"add", "index"},
    {"update", "index"},  {"ls", "list"},      {"files", "list"},   {"rm", "remove"},
    {"delete", "remove"}, {"rename", "move"},  {"info", "show"},    {"stats", "show"},
    {"why", "explain"},   {"web", "serve"},    {"server", "serve"}, {"verify", "check"},
    {"join", "merge"},    {"combine", "merge"}};

// Throws Error(kUsage) with the nearest command for an unknown one, for which CLI11 would only
// report that a subcommand is required.
void check_command_name(const CLI::App& app, std::string_view written) {
  std::vector<std::string> names = {"help"};
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (written.starts_with('-') || std::find(names.begin(), names.end(), written) != names.end()) {
    return;
  }
  std::vector<std::string_view> known(names.begin(), names.end());
  for (const auto& [other, command] : kOtherNames) known.push_back(other);
  std::string_view nearest = nearest_name(written, known);
  for (const auto& [other, command] : kOtherNames) {
    if (nearest == other) nearest = command;
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: no such command; {}", written,
                          nearest.empty() ? "see lookalike --help"
                                          : fmt::format("did you mean \"{}\"?", nearest)));
}

}  // namespace

int run_lookalike(int argc, const char* const* argv) {
  CLI::App app(
      "Finds the indexed images that a photo shows, and where in it.\n"
      "Exit codes: 0 done, 1 done with items skipped, 2 usage, 3 input, 4 device, "
      "5 storage, 6 nothing found (query and locate with --fail-if-none), 7 an incomplete run "
      "(index and retrain).",
      "lookalike");
  app.require_subcommand(1);
  app.footer("lookalike help COMMAND, or lookalike COMMAND --help, describes one command.");
  Action action;
#define ADD_COMMAND(name, heading)   \
  add_##name##_command(app, action); \
  app.get_subcommand(#name)->group(heading);
  LOOKALIKE_COMMANDS(ADD_COMMAND)
#undef ADD_COMMAND
  std::vector<const char*> words(argv, argv + argc);
  if (words.size() > 1 && std::string_view(words[1]) == "help") {  // help COMMAND
    words.erase(words.begin() + 1);
    words.push_back("--help");
  }
  if (words.size() > 1) check_command_name(app, words[1]);
  if (!parse_command_line(app, static_cast<int>(words.size()), words.data())) return kExitDone;
  const LastWords last_words([] { spdlog::error("{}", driver_ended_text()); });
  const int code = action();
  flush_output();
  return code;
}

}  // namespace lookalike
