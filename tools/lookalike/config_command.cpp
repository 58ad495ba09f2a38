#include <cstdlib>

#include "config/load.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

struct ConfigCommandArguments {
  explicit ConfigCommandArguments(CLI::App& command) : config(command) {
    config.add_database();
    auto* const flag =
        command.add_flag("--effective", effective,
                         "Print the values in force, and the origin of each that is not a default");
    check = add_value(command, "--check FILE", file,
                      "Check this file; report its first fault with line and column")
                ->excludes(flag)
                ->excludes("--config")
                ->excludes("--set");
  }
  ConfigArguments config;
  bool effective = false;
  CLI::Option* check = nullptr;
  std::string file;  // to check
};

int check_file(const std::string& file) {
  const RunConfig config = load_config(file);
  try {
    check_ranges(config);
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", file, error.what()));
  }
  return kExitDone;
}

int print_effective(const ConfigArguments& arguments) {
  const RunConfig defaults;
  const RunConfig file = arguments.has_file() ? load_config(arguments.file()) : defaults;
  const RunConfig set = arguments.load();
  RunConfig config = set;
  arguments.choose_database(config);
  const char* const variable = std::getenv(kDatabaseVariable);
  const bool has_variable = variable != nullptr && *variable != '\0';
  const auto origin = [&](const ConfigField& field) -> std::string {
    const FieldValue value = field.get(config);
    if (value != field.get(set)) return has_variable ? kDatabaseVariable : "";
    if (value != field.get(file)) return "command line";
    return value != field.get(defaults) ? printable(arguments.file()) : std::string();
  };
  fmt::print("{}", to_toml(config, origin));
  return kExitDone;
}

int run_config(const ConfigCommandArguments& arguments) {
  if (arguments.check->count() > 0) return check_file(arguments.file);
  if (arguments.effective) return print_effective(arguments.config);
  fmt::print("{}", to_toml(arguments.config.load()));
  return kExitDone;
}

}  // namespace

void add_config_command(CLI::App& app, Action& action) {
  add_command(
      app, action, "config", "Print the configuration with every key explained, or check a file",
      "Output: a TOML file with every key, its meaning and its range, and the values of --config "
      "and --set, else the defaults. With --effective only keys and values, including the index "
      "named by LOOKALIKE_DATABASE. With --check nothing; exit code 2 when the file has a "
      "fault.\n"
      "Example: lookalike config > run.toml\n"
      "         lookalike config --check run.toml\n"
      "         lookalike config --effective --config run.toml --set match.top=20",
      run_config);
}

}  // namespace lookalike
