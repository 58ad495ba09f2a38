#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <opencv2/core.hpp>

#include "base/geometry.h"
#include "base/random.h"

namespace lookalike {

// A photo made different: a file that could be looked up, and where the photo's pixels went.
struct Variant {
  std::vector<std::uint8_t> file;  // an encoded image
  Homography photo_to_variant;     // between pixel centres
};

// A way of making photos different, in several strengths.
struct VariantKind {
  std::string name;               // "crop"
  std::string unit;               // of a strength: "% of the area"
  std::vector<double> strengths;  // as they are shown; the mildest is first where there is one
  // photo [height][width], 8-bit BGR, not empty. Chance decides where and in which direction.
  Variant (*make)(const cv::Mat& photo, double strength, Random& random);
};

// crop, turn, scale, perspective, mirror: these move pixels. What they uncover is grey.
std::vector<VariantKind> geometric_kinds();
// jpeg, blur, noise, brightness, contrast, text: these leave pixels where they are.
std::vector<VariantKind> pixel_kinds();
// All of them.
std::vector<VariantKind> variant_kinds();

// The picture as a file that loses nothing.
std::vector<std::uint8_t> lossless_file(const cv::Mat& picture);

}  // namespace lookalike
