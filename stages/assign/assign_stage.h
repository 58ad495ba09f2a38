#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/artefacts.h"
#include "config/options.h"
#include "kernels/assign/assign.h"

namespace lookalike {

// Stage assign: the visual word and the signature of each feature, and the histogram of each
// image.
class AssignStage {
 public:
  AssignStage(OpenClSession& session, Codebook codebook, const AssignOptions& options);

  // One result an image, in order; an image may have no features. Throws Error(kInput) when an
  // image's descriptors are not of the codebook's size.
  std::vector<ImageWords> run(std::span<const ImageFeatures> images);

  const Codebook& codebook() const { return codebook_; }
  // Gives the codebook away; the stage must not be used afterwards.
  Codebook take_codebook() && { return std::move(codebook_); }

 private:
  Codebook codebook_;
  WordAssigner assigner_;
};

}  // namespace lookalike
