#include "pipeline/main_guard.h"
#include "stages/extract/command.h"

int main(int argc, char** argv) {
  return lookalike::run_main("lookalike-extract",
                             [&] { return lookalike::extract_command(argc, argv); });
}
