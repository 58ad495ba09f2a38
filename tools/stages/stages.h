#pragma once

// The stage executables: names under which the program `lookalike` runs a single stage.
namespace lookalike {

// Every stage; its name is lookalike-scan, ...
#define LOOKALIKE_STAGES(STAGE) \
  STAGE(scan)                   \
  STAGE(extract)                \
  STAGE(variance)               \
  STAGE(sample)                 \
  STAGE(codebook)               \
  STAGE(assign)                 \
  STAGE(store)                  \
  STAGE(match)

// Each of scan_stage() ... is defined in scan.cpp ... and returns as run_stage() does.
#define DECLARE_STAGE(name) int name##_stage(int argc, const char* const* argv);
LOOKALIKE_STAGES(DECLARE_STAGE)
#undef DECLARE_STAGE

}  // namespace lookalike
