#pragma once

#include <array>
#include <optional>

#include <opencv2/core.hpp>

#include "base/geometry.h"
#include "base/image.h"

namespace lookalike {

// The pixels to which pictures are reduced when only their colours matter.
inline constexpr double kColourPixels = 0.25e6;

// Returns Cb and Cr of colours, CV_8UC3, slightly smoothed.
std::array<cv::Mat, 2> chroma_of(const cv::Mat& colours);

// Returns the scene's colours in the light of the object's: a gain for each channel, from the
// places where the object is white or grey. There is no gain if it has none.
//   mask  CV_8U, 0 where one of them is not seen
cv::Mat balanced(const cv::Mat& scene, const cv::Mat& object, const cv::Mat& mask);

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

// The agreement below which two places in a scene differ in colour.
inline constexpr double kLeastColourAgreement = 0.3;
// The agreement below which the colours of a print contradict: light alone does not explain them.
// Figures: docs/measurements/quality.md, "Prints in other colours".
inline constexpr double kContradictingColours = 0.1;

}  // namespace lookalike
