#pragma once

#include <string>
#include <vector>

#include "kernels/session/session.h"

namespace lookalike {

// The devices present, "::0" to "::N". Where there is none, "::0" all the same: a test that runs on
// every device then fails, since no session opens there, instead of passing without a run.
std::vector<std::string> every_device();

// A session that all tests of this program share: on an NVIDIA device a context takes a second, on
// any device its programs take longer. Opened on first use and closed after the last test, while
// OpenCL is still loaded. Tests of sessions themselves and of memory limits open their own.
OpenClSession& shared_session(const std::string& device = {});
// The same with every launch timed.
OpenClSession& shared_profiling_session();

}  // namespace lookalike
