#include <string_view>

#include "base/program.h"
#include "tools/lookalike/commands.h"
#include "tools/stages/stages.h"

int main(int argc, char** argv) {
  using namespace lookalike;
  const std::string_view path = argc > 0 ? argv[0] : "";
  const std::string_view called = path.substr(path.rfind('/') + 1);
#define RUN_STAGE(name) \
  if (called == "lookalike-" #name) return name##_stage(argc, argv);
  LOOKALIKE_STAGES(RUN_STAGE)
#undef RUN_STAGE
  return run_main("lookalike", [&] { return run_lookalike(argc, argv); });
}
