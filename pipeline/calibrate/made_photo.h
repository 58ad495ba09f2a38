#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <opencv2/core.hpp>

#include "base/geometry.h"
#include "base/random.h"

// Makes photos from other pictures, for calibration and `lookalike evaluate --synthetic`. Equal
// inputs, the state of Random included, give equal photos.
namespace lookalike {

// Makes a photo of an object in front of a background, both 8-bit grey, like a user's: the object
// fills 35 to 100 % of the photo, rotated by up to 30 degrees, tilted, sometimes partly outside;
// brightness, contrast, blur and noise vary.
cv::Mat make_photo(const cv::Mat& object, const cv::Mat& background, Random& random);

// Encodes a photo as JPEG, with a random quality from 30 to 95.
std::vector<std::uint8_t> compressed(const cv::Mat& photo, Random& random);

// A distorted photo as an encoded file.
struct Variant {
  std::vector<std::uint8_t> file;
  Homography photo_to_variant;  // between pixel centres
};

// A kind of distortion.
struct VariantKind {
  std::string name;               // such as "crop"
  std::string unit;               // of a strength, such as "% of the area"
  std::vector<double> strengths;  // in the order of reports
  // photo: [height][width], 8-bit BGR, not empty. random: chooses place and direction.
  Variant (*make)(const cv::Mat& photo, double strength, Random& random);
};

// Returns crop, turn, scale, perspective and mirror, which move pixels and fill uncovered ones with
// grey, and jpeg, blur, noise, brightness, contrast and text, which leave pixels in place.
std::vector<VariantKind> variant_kinds();

}  // namespace lookalike
