#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "kernels/session/session.h"
#include "kernels/surf/surf_batch.h"
#include "kernels/surf/surf_parameters.h"

namespace lookalike {

// How SURF's kernels are cut into work-items. Both forms find the same features.
enum class SurfKernel {
  kAuto,  // the faster one measured on this device, else the first of surf_kernels
  kCpu,   // an item per row, strip or keypoint, for vector units
  kGpu,   // groups of items per row, band or keypoint
};

// "auto", "cpu", "gpu".
std::string_view to_string(SurfKernel kernel);
// Throws Error(kUsage) when no kernel has this name.
SurfKernel parse_surf_kernel(std::string_view name);
// Those that the session's device can run, the likely fastest first.
std::vector<SurfKernel> surf_kernels(const OpenClSession& session);

// What a batch needs on the device.
struct SurfBuffers {
  GrowingBuffer images, layers, pixels, masks, integral, quads, maps;
  GrowingBuffer counts;            // keypoints found, per image
  GrowingBuffer found, responses;  // per place
  GrowingBuffer first_chosen;      // per image, and the end
  GrowingBuffer chosen, descriptors;
};

// The kernels, compiled for a device and parameters. Each member queues launches for the whole
// batch, on buffers that hold it. Throws Error(kDevice) when OpenCL fails.
class SurfProgram {
 public:
  // Throws Error(kDevice) when the device cannot run the kernel.
  SurfProgram(OpenClSession& session, const SurfParameters& parameters, SurfKernel kernel);

  SurfKernel kernel() const { return kernel_; }

  // pixels to integral and quads.
  void integrate(const SurfBatch& batch, const SurfBuffers& buffers);
  // integral to maps.
  void filter(const SurfBatch& batch, const SurfBuffers& buffers);
  // maps to counts, found and responses.
  void search(const SurfBatch& batch, const SurfBuffers& buffers);
  // The strongest of each image to chosen, in order. most_found is the largest of counts.
  void rank(const SurfBatch& batch, std::size_t most_found, const SurfBuffers& buffers);
  // The angles and the descriptors of those chosen.
  void describe(std::size_t chosen, const SurfBuffers& buffers);

 private:
  void launch(cl::Kernel& kernel, const char* label, std::size_t groups, std::size_t images);
  void integrate_by_bands(const SurfBatch& batch, const SurfBuffers& buffers);

  OpenClSession& session_;
  SurfParameters parameters_;
  SurfKernel kernel_;
  cl::Kernel scan_rows_, scan_columns_;              // kCpu
  cl::Kernel sum_bands_, start_bands_, scan_bands_;  // kGpu
  cl::Kernel hessian_, search_, rank_, orientation_, descriptor_;
  cl::Buffer orientation_samples_;
};

}  // namespace lookalike
