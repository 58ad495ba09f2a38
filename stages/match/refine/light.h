#pragma once

#include <array>

#include <opencv2/core.hpp>

// How the light, the exposure and the colours of one picture become those of another.
namespace lookalike {

// A map of the values of one picture to those of another of the same thing. Has no map that makes
// one colour another: channels are not mixed, and their gains keep near that of the brightness.
struct LightModel {
  static constexpr int kKnots = 9;

  std::array<double, 3> gain = {1, 1, 1};    // of B, G, R
  std::array<double, 3> offset = {0, 0, 0};  // grey levels
  // Brightness at kKnots values from 0 to 255, the squares of equal steps. Exposure, contrast and
  // gamma need more than a gain.
  std::array<double, kKnots> brightness{};
};

// Fits a model to two aligned pictures of one size, CV_8UC3. Places that differ count little:
// iteratively reweighted least squares with the weights of Geman and McClure.
//   mask  CV_8U, 0 where the pictures are not compared
LightModel fit_light(const cv::Mat& from, const cv::Mat& to, const cv::Mat& mask);

// Returns tables of 256 values for cv::LUT: of the three channels, CV_8UC3, and of the brightness,
// CV_8U.
cv::Mat channel_table(const LightModel& light);
cv::Mat brightness_table(const LightModel& light);

}  // namespace lookalike
