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

// Returns the number of cells that fit into a picture.
cv::Size cells_of(cv::Size picture);

// Returns the variance of each cell, squared grey levels.
cv::Mat cell_variances(const cv::Mat& picture);

// Returns 255 for each cell all of whose pixels are set in a mask, CV_8U.
cv::Mat whole_cells(const cv::Mat& mask);

// Returns the correlations of the object's cells with the scene shifted by up to `reach` px: row by
// row of shifts, so that the middle one is not shifted. Flat cells correlate by about 0: to each
// variance kNoise is added.
std::vector<cv::Mat> correlate_cells(const cv::Mat& object, const cv::Mat& scene, int reach);

// Returns the largest value of each cell.
cv::Mat largest_of(const std::vector<cv::Mat>& maps);

// Where the scene's cells best fit, relative to the object's, px.
struct CellMoves {
  cv::Mat x;
  cv::Mat y;
  cv::Mat correlation;  // there, averaged over neighbouring cells
  cv::Mat is_cut_off;   // CV_8U, 255 where the best shift is a longest one
};

// Returns the best shifts of cells, between pixels. Correlations are averaged over `across` x
// `across` cells, flat ones with little weight.
CellMoves move_cells(const std::vector<cv::Mat>& correlations, const cv::Mat& variances,
                     int across);

// The correlations of cells along a displacement that changes little from cell to cell: bent paper,
// round bottles and small errors of the pose displace, other content does not.
struct SmoothAgreement {
  cv::Mat correlation;   // the best within one pixel of the displacement
  cv::Mat displaced_px;  // its length
};

// Finds the displacement from coarse to fine.
SmoothAgreement agree_smoothly(const cv::Mat& object, const cv::Mat& scene);

}  // namespace lookalike
