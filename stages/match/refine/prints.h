#pragma once

#include <optional>
#include <vector>

#include <opencv2/core.hpp>

#include "base/geometry.h"
#include "base/image.h"
#include "storage/prints.h"

// Images of one print with other content, such as cards of one game, slides of one template, filled
// copies of one form and screenshots of one program. Their print agrees exactly and in place; their
// content does not. Which of them a photo shows follows from the content alone.
namespace lookalike {

inline constexpr int kPrintSidePx = 512;
// Returns the size of an image's grid: the number of cells (cell_map.h) in the image when its
// longer side has kPrintSidePx. It depends on the proportions of the image alone.
cv::Size print_grid(int width, int height);

// Two images of one print with other content.
struct PrintPair {
  double agreement = 0;  // share of the first image's textured cells that agree exactly, [0, 1]
  PrintCells of_first{};
  PrintCells of_second{};
};

// Compares two indexed images at a pose found by their features. Returns nothing if they are not of
// one print with other content, or if one is empty or has transparent pixels. Thresholds:
// docs/measurements/quality.md, "Prints".
//   to_second     between full-size pixel centres
//   inlier_share  inliers of the pose, of the pairs of features, [0, 1]
std::optional<PrintPair> compare_prints(const ColourImage& first, const ColourImage& second,
                                        const Homography& to_second, double inlier_share);

inline constexpr int kFewestDistinctive = 6;
// Returns a map of the distinctive cells of an image, which set it apart from others of its print:
// they contradict at least half of the edges' images, and agree exactly with less than a quarter of
// them. CV_8U [rows][columns], 255 for distinctive. Empty if fewer than kFewestDistinctive are.
cv::Mat distinctive_cells(const std::vector<PrintEdge>& edges);

// Returns the mean correlation of a photo with an image in the image's distinctive cells, [-1, 1];
// nothing if the photo shows too few of them. The result is that of the left, right, upper or lower
// half if this half agrees well and better than the whole: something may cover the other half.
// Light images (is_light) are always judged as a whole.
//   distinctive  from distinctive_cells() of the image or of a copy of it
//   to_photo     between full-size pixel centres; an error of a few pixels is corrected
std::optional<double> agreement_in(const cv::Mat& distinctive, const ColourImage& image,
                                   const ColourImage& photo, const Homography& to_photo);

// True if most of a picture is light ground with little colour.
bool is_light(const ColourImage& picture);

// Minimum of agreement_in() if the photo shows the image. It is higher for pages, where other
// strokes agree more by chance.
inline constexpr double kLeastOwnAgreement = 0.45;
inline constexpr double kLeastOwnAgreementOfPages = 0.55;

}  // namespace lookalike
