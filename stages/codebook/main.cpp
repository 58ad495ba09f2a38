#include "pipeline/main_guard.h"
#include "stages/codebook/command.h"

int main(int argc, char** argv) {
  return lookalike::run_main("lookalike-codebook",
                             [&] { return lookalike::codebook_command(argc, argv); });
}
