#pragma once

#include <optional>
#include <vector>

#include <opencv2/core.hpp>

#include "base/geometry.h"
#include "base/image.h"
#include "storage/prints.h"

// Images of one print with other content, such as cards of one game, slides of one template, fills
// of one form and screenshots of one program: the print agrees exactly and in place, the content
// contradicts. The print proves nothing about which of them a photo shows, the content does.
namespace lookalike {

// Returns the size of an image's grid of cells, which follows from its proportions alone: the cells
// of cell_map.h in the image at a longest side of kPrintSidePx.
inline constexpr int kPrintSidePx = 512;
cv::Size print_grid(int width, int height);

// Two images of one print, each with its cells.
struct PrintPair {
  double agreement = 0;  // share of the first's textured cells that agree exactly, [0, 1]
  PrintCells of_first{};
  PrintCells of_second{};
};

// Compares two indexed images at a pose that their features gave. Returns nothing if they are not
// of one print with other content. Thresholds: docs/measurements/quality.md, "Prints".
//   to_second     between full-size pixel centres
//   inlier_share  of the pairs of features
std::optional<PrintPair> compare_prints(const ColourImage& first, const ColourImage& second,
                                        const Homography& to_second, double inlier_share);

// Returns the distinctive cells of an image: those that contradict in at least half of the other
// images of its print, and agree exactly in fewer than a quarter; CV_8U [rows][columns], 255. Empty
// if there are fewer than kFewestDistinctive.
inline constexpr int kFewestDistinctive = 6;
cv::Mat distinctive_cells(const std::vector<PrintEdge>& edges);

// Returns how well a photo agrees with an image in its distinctive cells, [-1, 1]; nothing if it
// shows too few of them. If those of one half agree by themselves, something covers the other half,
// and does not count; light pages are judged as a whole. The cells may be those of a copy of the
// image.
//   to_photo  between full-size pixel centres; an error of a few pixels is corrected
std::optional<double> agreement_in(const cv::Mat& distinctive, const ColourImage& image,
                                   const ColourImage& photo, const Homography& to_photo);

// True if most of a picture is light ground without colour.
bool is_light(const ColourImage& picture);

// The agreement below which the photo shows other content; the same for light pages, on which other
// strokes agree more by chance.
inline constexpr double kLeastOwnAgreement = 0.45;
inline constexpr double kLeastOwnAgreementOfPages = 0.55;

}  // namespace lookalike
