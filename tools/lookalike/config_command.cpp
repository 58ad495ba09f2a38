#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "base/error.h"
#include "tools/command_line/command_line.h"
#include "tools/lookalike/commands.h"

namespace lookalike {

void add_config_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "config", "Print the configuration with every key explained: a file to start from");
  command->footer(
      "Output: a TOML file; with --config FILE its values, else the defaults.\n"
      "Example: lookalike config > run.toml");
  const auto config = std::make_shared<ConfigArguments>(*command);
  command->callback([=, &action] {
    action = [=] {
      fmt::print("{}", to_toml(config->load()));
      return kExitDone;
    };
  });
}

}  // namespace lookalike
