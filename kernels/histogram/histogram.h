#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/session/session.h"
#include "kernels/variants.h"

namespace lookalike {

// How to count the words of images; every kernel gives the same histograms.
enum class HistogramKernel {
  kAuto,    // the fastest measured on this device, else the first of histogram_kernels
  kAtomic,  // a work-item per word adds to the histogram in global memory
  kLocal,   // a work-group per image and segment of bins counts in local memory
  kSerial,  // a work-item per image counts without atomics, for CPUs
};
template <>
inline constexpr auto kVariantNames<HistogramKernel> =
    std::to_array<std::string_view>({"auto", "atomic", "local", "serial"});

// The kernels, best guess for the device first. Every device can run all.
std::vector<HistogramKernel> histogram_kernels(const OpenClSession& session);

// Counts how often each visual word occurs in each image, many images a launch.
class WordHistograms {
 public:
  // word_count from 1 to 2^31. For kAuto the session's tuning for kernel "histogram" with size
  // "words" chooses. Throws Error(kInternal) on another count.
  WordHistograms(OpenClSession& session, std::size_t word_count,
                 HistogramKernel kernel = HistogramKernel::kAuto);

  // Returns histograms [images][word_count]: image i owns words[offsets[i]] to
  // words[offsets[i + 1] - 1], perhaps none.
  //   offsets [images + 1]: from 0, rising, to the number of words
  // Many images go in batches, halved while the device is out of memory. Throws Error(kInternal)
  // on other offsets and on a word that is not below word_count, Error(kDevice) when a launch
  // fails.
  std::vector<std::uint32_t> count(std::span<const std::uint32_t> words,
                                   std::span<const std::uint32_t> offsets);

  // Returns the kernel in use; never kAuto.
  HistogramKernel kernel() const { return kernel_; }

 private:
  void count_batch(std::span<const std::uint32_t> words, std::span<const std::uint32_t> offsets,
                   std::span<std::uint32_t> histograms);

  OpenClSession& session_;
  std::size_t word_count_;
  HistogramKernel kernel_;
};

}  // namespace lookalike
