#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "pipeline/error.h"
#include "stages/command/command_line.h"
#include "tools/lookalike/commands.h"

namespace lookalike {

int run_lookalike(int argc, const char* const* argv) {
  CLI::App app(
      "Finds the indexed images that a photo shows, and where in it.\n"
      "Exit codes: 0 done, 1 done with items skipped, 2 usage, 3 input, 4 device, 5 storage.",
      "lookalike");
  app.set_version_flag("--version", "lookalike " LOOKALIKE_VERSION);
  app.require_subcommand(1);
  Action action;
  add_devices_command(app, action);
  add_config_command(app, action);
  if (!parse_command_line(app, argc, argv)) return kExitDone;
  const int code = action();
  if (std::fflush(stdout) != 0) {
    throw Error(ErrorKind::kStorage,
                fmt::format("standard output cannot be written: {}", std::strerror(errno)));
  }
  return code;
}

}  // namespace lookalike
