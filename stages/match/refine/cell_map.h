#pragma once

#include <vector>

#include <opencv2/core.hpp>

// Two pictures in one frame, correlated cell by cell. Cells overlap: they are kMapCellPx wide and
// kMapStepPx apart. A map of cells is [rows][columns], CV_32F; cell (row, column) covers the pixels
// from kMapStepPx * (column, row) on. All pictures are CV_8U and of one size, at least kLeastMapPx
// on each side; what fills no cell is left out.
namespace lookalike {

inline constexpr int kMapCellPx = 16;
inline constexpr int kMapStepPx = 8;
inline constexpr int kLeastMapPx = 32;
// Variance from which a cell has full weight in a mean, squared grey levels.
inline constexpr double kFullWeight = 100;

// Returns the number of cells that fit into a picture.
cv::Size cells_of(cv::Size picture);
// Returns the size of a picture whose sides are reduced by a factor: whole steps of cells, and at
// least kLeastMapPx.
cv::Size reduced_size(cv::Size picture, double factor);
// Returns a picture reduced to a size.
cv::Mat reduced_to(const cv::Mat& picture, cv::Size size);

// Returns the variance of each cell, squared grey levels.
cv::Mat cell_variances(const cv::Mat& picture);

// Returns a map, CV_8U: 255 for each cell all of whose pixels are set in a mask.
cv::Mat whole_cells(const cv::Mat& mask);

// Returns a map of the correlations of the object's cells, [-1, 1], for each shift of the scene by
// -reach to reach px along both axes: row by row, so that the middle map is that of no shift. Flat
// cells correlate by about 0, since the noise of a picture is added to each variance.
std::vector<cv::Mat> correlate_cells(const cv::Mat& object, const cv::Mat& scene, int reach);

// Returns the largest value of each cell.
cv::Mat largest_of(const std::vector<cv::Mat>& maps);

// Returns where a peak lies between values one step apart, the middle one of which is the largest:
// the vertex of the parabola through them, in steps from the middle, [-0.5, 0.5].
double peak_offset(double before, double peak, double after);

// Where the object's cells fit the scene best.
struct CellMoves {
  cv::Mat x;  // shift from the object to the scene, px
  cv::Mat y;
  cv::Mat correlation;  // at that shift, averaged over neighbouring cells
  cv::Mat is_cut_off;   // CV_8U, 255 where the best shift is a longest one
};

// Returns the best shift of each cell, to a fraction of a pixel.
//   correlations  as correlate_cells() returns them; averaged over `across` x `across` cells, in
//                 which flat cells have little weight
//   variances     of the object's cells
CellMoves move_cells(const std::vector<cv::Mat>& correlations, const cv::Mat& variances,
                     int across);

// The correlations of cells along a displacement that changes little from cell to cell. Bent paper,
// round bottles and small errors of the pose displace cells so; other content does not.
struct SmoothAgreement {
  cv::Mat correlation;   // the best within one pixel of the displacement, [-1, 1]
  cv::Mat displaced_px;  // length of the displacement
};

// Finds the displacement of the scene from coarse to fine, and correlates along it.
SmoothAgreement agree_smoothly(const cv::Mat& object, const cv::Mat& scene);

}  // namespace lookalike
