#pragma once

// The stage executables: links to the program `lookalike`, which runs the stage whose name it was
// called by.
namespace lookalike {

// Every stage. STAGE(scan) is called lookalike-scan, and so on.
#define LOOKALIKE_STAGES(STAGE) \
  STAGE(scan)                   \
  STAGE(extract)                \
  STAGE(variance)               \
  STAGE(sample)                 \
  STAGE(codebook)               \
  STAGE(assign)                 \
  STAGE(store)                  \
  STAGE(match)

// scan_stage() is defined in scan.cpp, and so on. Each returns as run_stage() does.
#define DECLARE_STAGE(name) int name##_stage(int argc, const char* const* argv);
LOOKALIKE_STAGES(DECLARE_STAGE)
#undef DECLARE_STAGE

}  // namespace lookalike
