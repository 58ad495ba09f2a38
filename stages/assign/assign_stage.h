#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/artefacts.h"
#include "kernels/assign/assign.h"
#include "kernels/histogram/sorted.h"
#include "kernels/signature/signature.h"

namespace lookalike {

// What the index stores of features besides their geometry, [n] each, sorted by word in each image.
struct AssignedFeatures {
  std::vector<std::uint32_t> words;
  std::vector<std::uint64_t> signatures;
  std::vector<std::uint32_t> numbers;  // in the order of extraction, from 0 in each image
};

// Stage assign: finds the visual word and the signature of each feature, and the histogram of each
// image.
class AssignStage {
 public:
  // Copies the codebook to the device. The session must outlive the stage. Throws as
  // WordAssigner and WordSignatures.
  AssignStage(OpenClSession& session, Codebook codebook);

  // Returns one result per image, in order; an image may have no features. Uploads many images in
  // batches, halved while the device is out of memory. Throws Error(kInput) for descriptors of
  // another size than the codebook's, DeviceOutOfMemory if one image does not fit, and
  // Error(kDevice).
  std::vector<ImageWords> run(std::span<const ImageFeatures> images);
  // Finds words for descriptors [n][d] on the session's device, d as in the codebook, n may be 0.
  // Works in one batch: throws DeviceOutOfMemory if it does not fit, Error(kDevice) if a launch
  // fails.
  //   offsets [images + 1]: image i owns the descriptors offsets[i] to offsets[i + 1] - 1; from 0,
  //                         rising, to n
  AssignedFeatures run(const cl::Buffer& descriptors, std::span<const std::uint32_t> offsets);

  const Codebook& codebook() const { return codebook_; }
  // Moves the codebook out; the stage must not be used afterwards.
  Codebook take_codebook() && { return std::move(codebook_); }

 private:
  OpenClSession& session_;
  Codebook codebook_;
  WordAssigner assigner_;
  WordSignatures signatures_;
  SortedHistograms histograms_;
  struct {
    GrowingBuffer words, squared_distances, signatures;
  } buffers_;
};

// Returns the features of an image sorted by word, then in the order of extraction, and the
// histogram of the words.
//   keypoints [n]: of the image, in the order of extraction; n may be 0
//   first: of its features in `assigned`
ImageWords image_words(const ImageRecord& image, std::span<const Keypoint> keypoints,
                       const AssignedFeatures& assigned, std::size_t first);

}  // namespace lookalike
