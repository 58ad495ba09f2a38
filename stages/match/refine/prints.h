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

// True if a correction of the pose may lay one image over the other as one print: the pose hardly
// bends it, and, unless both are light, each shows most of the other. Spares reading the colours.
//   first, second  sizes of the images, px
//   to_second      between pixel centres
//   light          true if both may be light (may_be_light())
bool may_share_print(cv::Size first, cv::Size second, const Homography& to_second, bool light);

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

// How a photo agrees with an image of a print, mean correlations in [-1, 1]; see print_agreement().
struct PrintAgreement {
  std::optional<double> own{};     // in the distinctive cells
  std::optional<double> shared{};  // in cells of the print, which other images of it have as well
  bool is_light = false;           // see is_light(); set with `own`
};

// Compares a photo with an image of a print, along a smooth displacement. An agreement is unset if
// the photo shows too few of its cells. `own` is that of the left, right, upper or lower half if
// this half agrees well and better than the whole: something may cover the other half. Light images
// (is_light) are always judged as a whole.
//   edges        of the image or of a copy of it
//   distinctive  distinctive_cells() of the edges, not empty
//   to_photo     between full-size pixel centres; an error of a few pixels is corrected
PrintAgreement print_agreement(const std::vector<PrintEdge>& edges, const cv::Mat& distinctive,
                               const ColourImage& image, const ColourImage& photo,
                               const Homography& to_photo);

// True if most of a picture is light ground with little colour.
bool is_light(const ColourImage& picture);
// False for nearly all pictures that are not light, from their brightness at any size: spares
// reading their colours.
bool may_be_light(const ImageView& brightness);

// Minimum of PrintAgreement::own if the photo shows the image. It is higher for pages, where other
// strokes agree more by chance.
inline constexpr double kLeastOwnAgreement = 0.45;
inline constexpr double kLeastOwnAgreementOfPages = 0.55;
// A photo from aside, blurred or in bad light agrees little with anything, also with what it shows.
// Its agreement does not tell if it is at least kLeastUnclear, more than most other content gets,
// and at least this share of the agreement with the print.
inline constexpr double kLeastUnclear = 0.25;
inline constexpr double kUnclearShare = 0.7;

}  // namespace lookalike
