#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/features.h"
#include "base/image.h"
#include "kernels/session/session.h"
#include "kernels/surf/surf_batch.h"
#include "kernels/surf/surf_parameters.h"
#include "kernels/surf/surf_plan.h"
#include "kernels/surf/surf_program.h"

namespace lookalike {

// Speeded-up robust features of grey images, on a device.
//   Ties in the order of features are broken by response, size, octave and y (largest first),
//   then x (smallest first), so that every device and every run gives the same list.
// Method: Bay, Ess, Tuytelaars, Van Gool, "SURF: Speeded Up Robust Features", CVIU 2008.
// Images go through the device many at a time, whatever their sizes. Device memory is kept between
// calls and grows to what the largest batch needs: 38 bytes a pixel beside the descriptors.
class Surf {
 public:
  // Throws Error(kInternal) when a parameter is out of range, Error(kDevice) when the kernels do
  // not compile or the device cannot run this one.
  Surf(OpenClSession& session, const SurfParameters& parameters,
       SurfKernel kernel = SurfKernel::kAuto);

  // Features of each image, strongest first; the same whatever images go together.
  //   masks  empty, or one per image, each empty (the whole image counts) or of the image's size;
  //          a keypoint is kept where the mask at its rounded centre is not zero
  // An image that is too small for any filter has no features. Throws Error(kInternal) on
  // mismatched masks, Error(kDevice) when a launch fails, DeviceOutOfMemory when an image does
  // not fit alone; the object can be used again after either.
  std::vector<FeatureSet> extract(std::span<const ImageView> images,
                                  std::span<const ImageView> masks = {});

 private:
  // An image in which keypoints can be found, and where its features go.
  struct Task {
    ImageView image;
    ImageView mask;
    SurfPlan plan;
    FeatureSet* features = nullptr;
  };

  std::size_t count_fitting(std::span<const Task> tasks) const;
  void extract_batch(std::span<const Task> tasks);
  void upload(const SurfBatch& batch, std::span<const Task> tasks);
  void give_places(SurfBatch& batch, std::span<const std::int32_t> counts);
  std::vector<std::int32_t> search(SurfBatch& batch);
  void hand_over(std::span<const Task> tasks, std::span<const std::int32_t> first_chosen);

  OpenClSession& session_;
  SurfParameters parameters_;
  SurfProgram program_;
  std::size_t batch_bytes_;
  SurfBuffers buffers_;
};

// What Surf computes for one image, in plain scalar code: the yardstick of the kernels' tests.
// Throws Error(kInternal) when a parameter is out of range or the mask has not the image's size.
FeatureSet surf_reference(const ImageView& image, const SurfParameters& parameters,
                          const ImageView& mask = {});

}  // namespace lookalike
