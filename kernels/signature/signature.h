#pragma once

#include <cstddef>

#include "base/artefacts.h"
#include "kernels/session/session.h"

namespace lookalike {

// Signatures of descriptors on the device, with the bits of signatures_of() (base/signature.h) on
// every device.
class WordSignatures {
 public:
  // Copies the projection and the thresholds to the device. Throws Error(kInternal) when the
  // codebook is incomplete, Error(kDevice).
  WordSignatures(OpenClSession& session, const Codebook& codebook);

  // Queues the signatures [n] of descriptors [n][d] under their words [n] of the codebook. Throws
  // Error(kDevice).
  void compute(const cl::Buffer& descriptors, const cl::Buffer& words, std::size_t n,
               const cl::Buffer& signatures);

 private:
  OpenClSession& session_;
  cl::Buffer axes_;        // [d][64]
  cl::Buffer thresholds_;  // [k][64]
  cl::Kernel kernel_;
};

}  // namespace lookalike
