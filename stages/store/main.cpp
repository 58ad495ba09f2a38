#include "pipeline/main_guard.h"
#include "stages/store/command.h"

int main(int argc, char** argv) {
  return lookalike::run_main("lookalike-store",
                             [&] { return lookalike::store_command(argc, argv); });
}
