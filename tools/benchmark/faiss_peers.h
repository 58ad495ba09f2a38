#pragma once

#include <vector>

#include "kernels/workload/benchmark.h"

namespace lookalike {

// FAISS's exact search (IndexFlatL2) beside word assignment, on the host with all threads. Empty
// for other kernels, and in builds without FAISS (CMake's LOOKALIKE_FAISS).
std::vector<Peer> faiss_peers(const Workload& workload);

}  // namespace lookalike
