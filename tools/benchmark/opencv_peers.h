#pragma once

#include <vector>

#include "kernels/workload/benchmark.h"

namespace lookalike {

// OpenCV's ways of solving a workload on the host, on inputs of the same sizes, with all threads:
// matchTemplate (TM_CCOEFF_NORMED), transpose, meanStdDev, and SIFT with 5000 features beside SURF,
// which distributions leave out. Empty where OpenCV has no counterpart.
std::vector<Peer> opencv_peers(const Workload& workload);

}  // namespace lookalike
