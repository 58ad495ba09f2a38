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

// How to sort the features of images by word; every kernel gives the same order.
enum class SortKernel {
  kAuto,     // the fastest measured on this device, else the first of sort_kernels
  kRank,     // an item per feature counts those before it
  kBitonic,  // a work-group per image sorts in local memory
  kSerial,   // an item per image sorts digit by digit, for CPUs
};
template <>
inline constexpr auto kVariantNames<SortKernel> =
    std::to_array<std::string_view>({"auto", "rank", "bitonic", "serial"});

// Returns the kernels that the device can run for images of at most `most_features`, best guess
// first.
std::vector<SortKernel> sort_kernels(const OpenClSession& session, std::size_t word_count,
                                     std::size_t most_features);

// Sparse histograms of many images: the features of each image sorted by visual word, those of a
// word by number. A histogram of k bins has mostly zeros where k exceeds the number of features
// (kernels/histogram/histogram.h has that form).
class SortedHistograms {
 public:
  // word_count from 1 to 2^31. With kAuto, each call takes the kernel that was measured fastest for
  // an image as long as its longest one (the session's tuning for "sorted_histogram", by size
  // "features"). Throws Error(kInternal) on another count.
  SortedHistograms(OpenClSession& session, std::size_t word_count,
                   SortKernel kernel = SortKernel::kAuto);

  // Features on the device, [n] each.
  struct Features {
    cl::Buffer words;       // u32
    cl::Buffer signatures;  // u64
    cl::Buffer numbers;     // u32, of each feature in the order of extraction, from 0 in each image
  };

  // Queues the sorting of words and signatures [n], each word below word_count. Returns buffers
  // that are valid until the next call.
  //   offsets [images + 1]: image i owns the features offsets[i] to offsets[i + 1] - 1, perhaps
  //                         none; from 0, rising, to n >= 1
  // Throws Error(kInternal) on other offsets, Error(kDevice) when a launch fails or the kernel does
  // not run for an image of that length, DeviceOutOfMemory.
  const Features& sort(const cl::Buffer& words, const cl::Buffer& signatures,
                       std::span<const std::uint32_t> offsets);

 private:
  OpenClSession& session_;
  std::size_t word_count_;
  SortKernel kernel_;
  GrowingBuffer words_, signatures_, numbers_, spare_;
  Features sorted_;
};

}  // namespace lookalike
