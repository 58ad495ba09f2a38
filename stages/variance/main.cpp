#include "pipeline/main_guard.h"
#include "stages/variance/command.h"

int main(int argc, char** argv) {
  return lookalike::run_main("lookalike-variance",
                             [&] { return lookalike::variance_command(argc, argv); });
}
