#pragma once

#include <string_view>
#include <vector>

#include "kernels/session/session.h"

namespace lookalike {

// How the words of images are counted; every kernel gives the same histograms.
enum class HistogramKernel {
  kAuto,    // the fastest measured on this device, else the first of histogram_kernels
  kAtomic,  // a work-item a word, which adds to the histogram in global memory
  kLocal,   // a work-group an image and segment of bins, which it counts in local memory
  kSerial,  // a work-item an image, which counts without atomics, for CPUs
};

// "auto", "atomic", "local", "serial".
std::string_view to_string(HistogramKernel kernel);
// Throws Error(kUsage) when no kernel has this name.
HistogramKernel parse_histogram_kernel(std::string_view name);
// The kernels, the one that should be fastest on the session's device first. All devices run all.
std::vector<HistogramKernel> histogram_kernels(const OpenClSession& session);

}  // namespace lookalike
