#pragma once

#include <filesystem>
#include <vector>

#include "kernels/workload/benchmark.h"

namespace lookalike {

// FAISS's exact search (IndexFlatL2) beside word assignment, on the host with all threads. Empty
// for other kernels.
//   program  lookalike-faiss-peer, which is built where FAISS is (CMake's LOOKALIKE_FAISS);
//            where it is missing, the peer is noted as not installed
std::vector<Peer> faiss_peers(const Workload& workload, const std::filesystem::path& program);

}  // namespace lookalike
