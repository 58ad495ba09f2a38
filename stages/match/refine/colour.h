#pragma once

#include <array>
#include <optional>

#include <opencv2/core.hpp>

#include "base/geometry.h"
#include "base/image.h"

namespace lookalike {

// Returns Cb and Cr of colours, CV_8UC3, slightly smoothed.
std::array<cv::Mat, 2> chroma_of(const cv::Mat& colours);

// True if the picture has hardly any colour.
bool is_grey(const ColourImage& picture);

// Returns the agreement of the colours of an object and of its place in a scene, [-1, 1]: Lin's
// concordance of their chroma about neutral grey (L. Lin: A concordance correlation coefficient to
// evaluate reproducibility. Biometrics 45, 1989), after the scene's channels were balanced where
// the object is white or grey. 1: the same colours; 0: one is grey; below 0: others. Returns
// nothing if neither has colours there. A scene that is_grey() as a whole, as a photo in black and
// white is, says nothing of colours: the caller leaves it out.
//   object_to_scene  between full-size pixel centres
std::optional<double> colour_agreement(const ColourImage& object, const ColourImage& scene,
                                       const Homography& object_to_scene);

// The agreement below which two things differ in colour.
inline constexpr double kLeastColourAgreement = 0.3;

}  // namespace lookalike
