// Our programs beside other libraries, on one machine and in one run; not installed.

#include <CLI/CLI.hpp>

#include "base/program.h"
#include "tools/command_line/command_line.h"
#include "tools/lab/peers/commands.h"

namespace lookalike {
namespace {

int run(int argc, const char* const* argv) {
  CLI::App app("Times lookalike beside OpenCV and FAISS.", "lookalike-peers");
  app.require_subcommand(1);
  Action action;
  add_kernel_peers(app, action);
  add_surf_peers(app, action);
  add_index_peers(app, action);
  add_locate_bars(app, action);
  return parse_command_line(app, argc, argv) ? action() : 0;
}

}  // namespace
}  // namespace lookalike

int main(int argc, char** argv) {
  return lookalike::run_main("lookalike-peers", [&] { return lookalike::run(argc, argv); });
}
