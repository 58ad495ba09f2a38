#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/session/session.h"
#include "kernels/surf/surf_parameters.h"
#include "kernels/surf/surf_plan.h"
#include "pipeline/features.h"
#include "pipeline/image.h"

namespace lookalike {

// Speeded-up robust features of grey images, on a device.
//   Ties in the order of features are broken by response, size, octave and y (largest first),
//   then x (smallest first), so that every device and every run gives the same list.
// Method: Bay, Ess, Tuytelaars, Van Gool, "SURF: Speeded Up Robust Features", CVIU 2008.
// Device memory is kept between calls and grows to what the largest image needs: 35 bytes a pixel
// and 32 bytes a keypoint beside the descriptors.
class Surf {
 public:
  // Throws Error(kInternal) when a parameter is out of range, Error(kDevice) when the kernels do
  // not compile.
  Surf(OpenClSession& session, const SurfParameters& parameters);

  // Features of each image, strongest first.
  //   masks  empty, or one per image, each empty (the whole image counts) or of the image's size;
  //          a keypoint is kept where the mask at its rounded centre is not zero
  // An image that is too small for any filter has no features. Throws Error(kInternal) on
  // mismatched masks, Error(kDevice) when a launch fails, DeviceOutOfMemory when an image does
  // not fit; the object can be used again after either.
  std::vector<FeatureSet> extract(std::span<const ImageView> images,
                                  std::span<const ImageView> masks = {});

 private:
  // Device memory that is replaced by more when more is asked for.
  struct GrowingBuffer {
    cl::Buffer buffer{};
    std::size_t bytes = 0;
    const cl::Buffer& at_least(OpenClSession& session, std::size_t wanted_bytes);
  };

  FeatureSet extract_one(const ImageView& image, const ImageView& mask);
  void plan_for(const ImageView& image);
  void integrate(const ImageView& image);
  std::vector<Keypoint> find_keypoints();
  std::size_t search();
  std::vector<float> describe(const std::vector<Keypoint>& keypoints);
  void launch(cl::Kernel& kernel, const char* label, std::size_t groups);

  OpenClSession& session_;
  SurfParameters parameters_;
  std::size_t group_size_;
  cl::Kernel scan_rows_, scan_columns_, hessian_, maxima_, orientation_, descriptor_;
  cl::Buffer orientation_samples_;
  SurfPlan plan_;
  std::size_t capacity_;  // keypoints that keypoints_ holds
  GrowingBuffer pixels_, integral_, quads_, layers_, maps_, keypoints_, chosen_, descriptors_;
  cl::Buffer found_;  // number of keypoints found, which may pass the capacity
};

}  // namespace lookalike
