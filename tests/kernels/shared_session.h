#pragma once

#include <string>

#include "kernels/session/session.h"

namespace lookalike {

// A session that all tests of this program share: on an NVIDIA device a context takes a second, on
// any device its programs take longer. Made on first use and let go after the last test, while
// OpenCL is still loaded. Tests of sessions themselves and of memory limits make their own.
OpenClSession& shared_session(const std::string& device = {});
// The same with every launch timed.
OpenClSession& shared_profiling_session();

}  // namespace lookalike
