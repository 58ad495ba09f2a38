#pragma once

#include <array>

#include <opencv2/core.hpp>

#include "stages/match/refine/frame.h"

// The change of light between two pictures of one thing.
namespace lookalike {

// Maps the values of one picture to those of another of the same thing. Cannot make one colour
// another: it does not mix channels, and it keeps their gains near that of the brightness.
struct LightModel {
  static constexpr int kKnots = 9;

  std::array<double, 3> gain = {1, 1, 1};    // of B, G, R
  std::array<double, 3> offset = {0, 0, 0};  // grey levels
  // What the levels 255 (i / (kKnots - 1))^2 of brightness become. Contrast and gamma need more
  // than a gain.
  std::array<double, kKnots> brightness{};
};

// Fits a model to two aligned pictures. Places that differ count little: iteratively reweighted
// least squares with the weights of Geman and McClure.
//   mask  CV_8U of the colours' size, 0 where the pictures are not compared
LightModel fit_light(const Planes& from, const Planes& to, const cv::Mat& mask);

// Return tables of 256 values for cv::LUT: CV_8UC3 for the channels, CV_8U for the brightness.
cv::Mat channel_table(const LightModel& light);
cv::Mat brightness_table(const LightModel& light);

}  // namespace lookalike
