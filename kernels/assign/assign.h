#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/session/session.h"
#include "pipeline/matrix_view.h"

namespace lookalike {

// How the nearest words are found; every kernel gives the same answer.
enum class AssignKernel {
  kAuto,   // kFused on GPUs and accelerators, kCpu on CPUs
  kGpu1,   // one work-item per descriptor: the baseline
  kFused,  // register-blocked tiles through local memory, for GPUs
  kCpu,    // panels of descriptors in vector registers, for CPUs
};

// "auto", "gpu1", "fused", "cpu".
std::string_view to_string(AssignKernel kernel);
// Throws Error(kUsage) when no kernel has this name.
AssignKernel parse_assign_kernel(std::string_view name);

struct Assignment {
  std::vector<std::uint32_t> words;
  std::vector<float> squared_distances;
};

// Nearest visual words by squared Euclidean distance.
// Method: Sivic and Zisserman, "Video Google", ICCV 2003. Words are compared by x.c - |c|^2 / 2 and
// the best of them by distances summed directly, so that cancellation never reaches the result: the
// chosen word is the true nearest, or within a relative 1e-5 of its squared distance. A descriptor
// that is not finite gets some word.
class WordAssigner {
 public:
  static constexpr std::size_t kMaxNearest = 8;

  // words [k][d], k from 1 to 2^31, d a multiple of 8; copied to the device.
  // Throws Error(kInternal) on other shapes, Error(kDevice) when OpenCL fails.
  WordAssigner(OpenClSession& session, MatrixView<const float> words,
               AssignKernel kernel = AssignKernel::kAuto);

  // Nearest word of each descriptor.
  //   descriptors [n][d], n may be 0     returns words [n] in [0, k), squared distances [n]
  //   ties: lowest index
  // Large n goes in batches, halved while the device is out of memory. Throws Error(kInternal) on
  // mismatched shapes, Error(kDevice) when a launch fails.
  Assignment assign(MatrixView<const float> descriptors) { return nearest(descriptors, 1); }

  // The m nearest words of each descriptor, nearest first: words [n][m] and squared distances
  // [n][m], m from 1 to the lesser of k and kMaxNearest; otherwise as assign.
  Assignment nearest(MatrixView<const float> descriptors, std::size_t m);
  std::vector<std::uint32_t> assign_nearest(MatrixView<const float> descriptors, std::size_t m) {
    return nearest(descriptors, m).words;
  }

  // Histograms [images][k] of assigned words: image i owns words[offsets[i]] to
  // words[offsets[i + 1] - 1], and may own none.
  //   offsets [images + 1]: from 0, rising, to the number of words
  // Throws Error(kInternal) on other offsets and on a word that is not below k.
  std::vector<std::uint32_t> histograms(std::span<const std::uint32_t> words,
                                        std::span<const std::uint32_t> offsets);

  // The kernel in use; never kAuto.
  AssignKernel kernel() const { return kernel_; }

 private:
  struct Batch;

  cl::Kernel build(const std::vector<std::string>& sources, const std::string& name, std::size_t m);
  void assign_directly(const Batch& batch);
  void scan_cpu(const Batch& batch);
  void scan_fused(const Batch& batch);
  void refine(const Batch& batch);
  void count_words(std::span<const std::uint32_t> words, std::span<const std::uint32_t> offsets,
                   std::span<std::uint32_t> histograms);

  OpenClSession& session_;
  AssignKernel kernel_;
  std::size_t word_count_;
  std::size_t dimensions_;
  float largest_norm_ = 0;
  cl::Buffer rows_;        // [k][d], for kGpu1
  cl::Buffer groups_;      // as pack_groups, for kFused and kCpu
  cl::Buffer tiles_;       // as pack_tiles, for kFused
  cl::Buffer half_norms_;  // as half_squared_norms, for kFused and kCpu
};

}  // namespace lookalike
