#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/artefacts.h"
#include "config/options.h"
#include "kernels/surf/surf.h"

namespace lookalike {

// Stage extract: SURF features of decoded images, strongest first.
class ExtractStage {
 public:
  ExtractStage(OpenClSession& session, const ExtractOptions& options);

  // One result an image, in order; keypoints in pixels of the full-size image. None lies where an
  // image is fully transparent.
  //   masks  as Surf::extract has them, in the size of the reduced pixels, in place of the images'
  //          own alpha; or none
  std::vector<ImageFeatures> run(std::span<const DecodedImage> images,
                                 std::span<const ImageView> masks = {});

  // The same of images whose pixels and alpha are on the device: visits the features of several
  // images at a time, whose descriptors stay on the device, and whose keypoints are in pixels of
  // the full-size image.
  void run(const DeviceImages& uploaded, std::span<const DecodedImage> images,
           const std::function<void(FoundFeatures)>& visit);

  // As Surf::build_description().
  void build_description() { surf_.build_description(); }

 private:
  Surf surf_;
};

}  // namespace lookalike
