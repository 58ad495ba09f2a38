#pragma once

#include <optional>

#include <opencv2/core.hpp>

#include "base/geometry.h"

namespace lookalike {

inline constexpr int kSquarePx = 32;

// A square of one picture, found in another one of the same frame.
struct FoundSquare {
  PointPair centres;       // in both, px
  double correlation = 0;  // at the best whole shift
  cv::Mat correlations;    // CV_32F [2 reach + 1][2 reach + 1], [-1, 1], at each shift in y and x
  int reach = 0;           // px
};

// Finds a square by normalised cross-correlation up to `reach` px away, to a fraction of a pixel.
// Returns nothing if the mask has a 0 in reach, the square is flat, the best correlation is below
// 0.7, or a longest shift is the best.
//   object, scene, mask  CV_8U, of one size
//   corner               of the square in the object; it must lie at least `reach` px from the rims
std::optional<FoundSquare> find_square(const cv::Mat& object, const cv::Mat& scene,
                                       const cv::Mat& mask, cv::Point corner, int reach);

}  // namespace lookalike
