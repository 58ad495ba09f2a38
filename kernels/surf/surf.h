#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/features.h"
#include "base/image.h"
#include "kernels/device_images.h"
#include "kernels/session/session.h"
#include "kernels/variants.h"

namespace lookalike {

// Every function that takes parameters throws Error(kInternal) when one is out of range.
struct SurfParameters {
  float hessian_threshold = 100;     // least determinant of a keypoint; >= 0
  int octaves = 4;                   // 1 to 6: each doubles filters and sampling step
  int layers = 3;                    // 1 to 8: scales per octave at which keypoints are found
  std::size_t descriptor_size = 64;  // 64, or 128: sums split by the sign of the other gradient
  bool upright = false;              // no orientation: faster, for photos that are never turned
  std::size_t max_features = 0;      // per image, strongest first; 0: all
  // Descriptor normalisation: signed square roots, scaled to length 1.
  // Method: Arandjelovic, Zisserman, "Three things everyone should know to improve object
  // retrieval", CVPR 2012, who take roots of SIFT, which has no signs.
  bool signed_roots = false;
  // Brightens images of a lower mean grey level to this one, by one curve for each level (see
  // tone.h), since a threshold and 8 bits leave little of what is dark. 0: none.
  int brighten_to = 0;
  // Largest sampling interval of a keypoint, px. A larger keypoint is described in the image halved
  // until its interval is not: the means of a coarse window need no fine samples. 0, as published:
  // describe every keypoint in the image itself; else at least 2.
  int max_interval = 0;
};

// Features of several images; descriptors stay on the device until the next are found.
struct FoundFeatures {
  std::vector<std::size_t> images;  // ascending; the others have no features
  std::vector<std::int32_t> first;  // image images[i] has features [first[i], first[i + 1])
  std::vector<Keypoint> keypoints;  // of all, strongest first in each image; on the host
  cl::Buffer descriptors;           // [keypoints][descriptor_size]

  struct Range {
    std::size_t first = 0;
    std::size_t count = 0;
  };
  // Returns the features of image images[i].
  Range range(std::size_t i) const {
    const auto begin = static_cast<std::size_t>(first[i]);
    return {begin, static_cast<std::size_t>(first[i + 1]) - begin};
  }
};

// How SURF is divided among work-items. Both kernels find the same features.
enum class SurfKernel {
  kAuto,  // the faster measured on this device, else the first of surf_kernels
  kCpu,   // an item per row, strip or keypoint, for vector units
  kGpu,   // groups of items per row, band or keypoint
};
template <>
inline constexpr auto kVariantNames<SurfKernel> = std::to_array<std::string_view>({"auto", "cpu",
                                                                                   "gpu"});

// The kernels that the session's device can run, best guess first.
std::vector<SurfKernel> surf_kernels(const OpenClSession& session);

// Speeded-up robust features of grey images, on a device. Ties in the order of features are broken
// by response, size, octave and y (largest first), then x (smallest first), so that every device
// and every run gives the same list. Method: Bay, Ess, Tuytelaars, Van Gool, "SURF: Speeded Up
// Robust Features", CVIU 2008. Images of any sizes go through the device many at a time. Device
// memory is reused between calls and grows to the largest batch: 41 bytes a pixel beside the
// descriptors.
class Surf {
 public:
  // Throws Error(kDevice) when the kernels do not compile or the device cannot run this one.
  Surf(OpenClSession& session, const SurfParameters& parameters,
       SurfKernel kernel = SurfKernel::kAuto);
  ~Surf();

  // Finds the features of images on the device, in batches that fit, and calls `visit` after each
  // batch; the result does not depend on the batches. Leaves out keypoints whose rounded centre is
  // masked out. An image too small for any filter has no features. A batch that runs out of memory,
  // in `visit` too, is found and visited again in smaller ones. Throws Error(kDevice) when a launch
  // fails, DeviceOutOfMemory when an image does not fit alone, and what `visit` throws; the object
  // can be used again after any of them.
  void find(const DeviceImages& images, const std::function<void(FoundFeatures)>& visit);

  // Returns the features of each image, strongest first.
  //   masks  as for DeviceImages::upload
  // Throws as DeviceImages::upload and find() do.
  std::vector<FeatureSet> extract(std::span<const ImageView> images,
                                  std::span<const ImageView> masks = {});

  // Builds the kernels that describe keypoints, which a first image needs last, by describing a
  // made-up keypoint. Throws Error(kDevice).
  void build_description();

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

// Computes what Surf must find in one image, in plain scalar code. Throws Error(kInternal) when the
// mask is not of the image's size.
FeatureSet surf_reference(const ImageView& image, const SurfParameters& parameters,
                          const ImageView& mask = {});

// Computes the descriptor of a keypoint: descriptor_size values of length 1, before signed roots.
std::vector<float> surf_descriptor_reference(const ImageView& image, const Keypoint& keypoint,
                                             const SurfParameters& parameters);

// Does to a descriptor what SurfParameters::signed_roots says; zeros stay.
void take_signed_roots(std::span<float> descriptor);

}  // namespace lookalike
