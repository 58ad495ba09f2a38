#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/cases.h"

namespace lookalike {

// Another library's way of solving a case on the host, with all threads.
struct Peer {
  std::string name;
  // Makes it ready on random inputs of the case's sizes; each call of the result solves the
  // problem once.
  std::function<std::function<void()>()> prepare;
};

// OpenCV: matchTemplate (TM_CCOEFF_NORMED), transpose, meanStdDev, filter2D and sepFilter2D,
// integral, and SIFT with 5000 features beside SURF, which distributions leave out. Empty for
// other kernels.
std::vector<Peer> opencv_peers(const KernelCase& problem);

// FAISS's exact search (IndexFlatL2) beside word assignment. Empty for other kernels, and where
// CMake did not find FAISS.
std::vector<Peer> faiss_peers(const KernelCase& problem);

}  // namespace lookalike
