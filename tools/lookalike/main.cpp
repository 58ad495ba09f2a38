#include "base/program.h"
#include "tools/lookalike/commands.h"

int main(int argc, char** argv) {
  return lookalike::run_main("lookalike", [&] { return lookalike::run_lookalike(argc, argv); });
}
