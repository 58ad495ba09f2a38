#pragma once

#include <string>
#include <vector>

#include "kernels/session/session.h"

namespace lookalike {

// Returns the devices present, "::0" to "::N". Returns "::0" even without a device: a test on every
// device then fails to open its session, instead of passing without a run.
std::vector<std::string> every_device();

// Returns a session that all tests of this program share: on an NVIDIA device a context takes a
// second, and on any device its programs take longer. Opened on first use and closed after the last
// test, while OpenCL is still loaded. Tests of sessions themselves and of memory limits open their
// own.
OpenClSession& shared_session(const std::string& device = {});
// Returns a shared session with every launch timed.
OpenClSession& shared_profiling_session();

}  // namespace lookalike
