#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/options.h"
#include "kernels/surf/surf.h"
#include "stages/decode/decode.h"

namespace lookalike {

// Stage extract: SURF features of decoded images, strongest first.
class ExtractStage {
 public:
  ExtractStage(OpenClSession& session, const ExtractOptions& options);

  // One result an image, in order; keypoints in pixels of the full-size image.
  //   masks  as Surf::extract has them: none, or one per image in the size of its reduced pixels
  std::vector<ImageFeatures> run(std::span<const DecodedImage> images,
                                 std::span<const ImageView> masks = {});

 private:
  Surf surf_;
  const std::string descriptor_form_;
};

SurfParameters surf_parameters(const ExtractOptions& options);

}  // namespace lookalike
