#include <fmt/format.h>

#include "base/error.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

int print_config(const ConfigArguments& config) {
  fmt::print("{}", to_toml(config.load()));
  return kExitDone;
}

}  // namespace

void add_config_command(CLI::App& app, Action& action) {
  add_command(app, action, "config",
              "Print the configuration with every key explained, as a file to start from",
              "Output: a TOML file with the values of --config FILE, or the defaults.\n"
              "Example: lookalike config > run.toml",
              print_config);
}

}  // namespace lookalike
