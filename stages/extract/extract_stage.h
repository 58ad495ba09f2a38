#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/artefacts.h"
#include "config/options.h"
#include "kernels/surf/surf.h"

namespace lookalike {

// Stage extract: finds SURF features of decoded images, strongest first.
class ExtractStage {
 public:
  ExtractStage(OpenClSession& session, const ExtractOptions& options);

  // Returns one result per image, in order; keypoints are in pixels of the full-size image. None
  // lies where an image is fully transparent.
  //   masks  as for Surf::extract(), in the size of the reduced pixels; empty: the images' alpha
  std::vector<ImageFeatures> run(std::span<const DecodedImage> images,
                                 std::span<const ImageView> masks = {});

  // Visits the features of images whose pixels and alpha are on the device, several images at a
  // time. Descriptors stay on the device; keypoints are in pixels of the full-size image.
  void run(const DeviceImages& uploaded, std::span<const DecodedImage> images,
           const std::function<void(FoundFeatures)>& visit);

  // As Surf::build_description().
  void build_description() { surf_.build_description(); }

 private:
  Surf surf_;
};

}  // namespace lookalike
