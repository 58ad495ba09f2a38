#pragma once

#include <string>
#include <vector>

#include "kernels/session/session.h"

namespace lookalike {

struct SelfTestResult {
  std::string name;  // like "assign cpu"
  bool passed = false;
  std::string detail;     // what went wrong; empty when it passed
  double elapsed_ms = 0;  // with the kernel's compilation
};

enum class SelfTestScale {
  kUsual,  // more than one tile of everything, in seconds
  kTiny,   // so little that a simulator of a device can run it
};

// Runs every kernel that this device can run on a small random problem and compares the outcome
// with its plain C++ reference. A kernel that throws has failed; nothing is thrown.
std::vector<SelfTestResult> run_self_tests(OpenClSession& session,
                                           SelfTestScale scale = SelfTestScale::kUsual);

}  // namespace lookalike
