#include "base/main_guard.h"
#include "tools/lookalike/commands.h"

int main(int argc, char** argv) {
  return lookalike::run_main("lookalike", [&] { return lookalike::run_lookalike(argc, argv); });
}
