#include "pipeline/main_guard.h"
#include "stages/match/command.h"

int main(int argc, char** argv) {
  return lookalike::run_main("lookalike-match",
                             [&] { return lookalike::match_command(argc, argv); });
}
