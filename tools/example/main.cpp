#include <functional>

#include "base/program.h"
#include "tools/command_line/command_line.h"
#include "tools/example/commands.h"

int main(int argc, char** argv) {
  return lookalike::run_main("lookalike-example", [&] {
    CLI::App app("Draws the pictures of the demo, the README and the tests.", "lookalike-example");
    std::function<int()> action;
    lookalike::add_example_commands(app, action);
    app.require_subcommand(1);
    return lookalike::parse_command_line(app, argc, argv) ? action() : 0;
  });
}
