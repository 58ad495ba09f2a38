#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <opencv2/core.hpp>

#include "base/geometry.h"
#include "base/random.h"

// Photos made from other pictures, for calibration and for `lookalike evaluate --synthetic`. All
// random choices come from the Random that is passed; equal inputs give equal photos.
namespace lookalike {

// A photo of an object in front of a background, both 8-bit grey, as a user might have taken it:
// the object at 35 to 100 % of the photo's size, rotated by up to 30 degrees, tilted, sometimes
// partly outside; brightness, contrast, blur and noise changed.
cv::Mat make_photo(const cv::Mat& object, const cv::Mat& background, Random& random);

// The photo as a JPEG file of quality 30 to 95.
std::vector<std::uint8_t> compressed(const cv::Mat& photo, Random& random);

// A distorted photo as an encoded file, and the map from the photo's pixels to the variant's.
struct Variant {
  std::vector<std::uint8_t> file;
  Homography photo_to_variant;  // between pixel centres
};

// A kind of distortion, in several strengths.
struct VariantKind {
  std::string name;               // "crop"
  std::string unit;               // of a strength: "% of the area"
  std::vector<double> strengths;  // in the order of reports
  // photo [height][width], 8-bit BGR, not empty. `random` chooses place and direction.
  Variant (*make)(const cv::Mat& photo, double strength, Random& random);
};

// crop, turn, scale, perspective and mirror, which move pixels and fill uncovered ones with grey;
// jpeg, blur, noise, brightness, contrast and text, which leave pixels in place.
std::vector<VariantKind> variant_kinds();

}  // namespace lookalike
