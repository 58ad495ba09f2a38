#include "pipeline/main_guard.h"
#include "stages/assign/command.h"

int main(int argc, char** argv) {
  return lookalike::run_main("lookalike-assign",
                             [&] { return lookalike::assign_command(argc, argv); });
}
