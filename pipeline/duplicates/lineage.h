#pragma once

#include <opencv2/core.hpp>

#include "base/geometry.h"
#include "stages/decode/file_description.h"

// Which of two files with one picture was made from the other, read from their pixels.
namespace lookalike {

// kUnclear if a picture is too soft or too flat to show it, or the qualities are too close.
enum class Lineage { kOther, kUnclear, kMade };

// The picture that another one may have been made from, turned as the file of the other stores it.
struct Source {
  cv::Mat gray;     // CV_8U
  cv::Mat colours;  // CV_8UC3; may be empty if the other picture has another size
  FileDescription file;
};

// Decides whether a JPEG or a lossless file can have been saved from a picture of its size or of
// fewer pixels. The file's own picture is CV_8U, as it is stored. A JPEG file that was saved from
// known pixels departs from them by at most half a quantisation step in each frequency, except in
// blocks where a channel was clipped. A copy of a better file departs as little from that file, so
// of two files of one size kMade is said only of the one whose steps are clearly finer. An enlarged
// picture is compared with the source as bilinear, bicubic and Lanczos interpolation enlarge it, in
// the mixture that fits best; kMade requires that the source has details of its own finest size,
// which no enlargement adds to. Figures: D77.
Lineage lineage(const cv::Mat& picture, const FileDescription& file, const Source& source);

// True if a JPEG file was saved from a picture of its size, or both from one: it departs from the
// picture by at most half a step of each file, and its steps explain the departure. One that is
// clearly smaller says that the picture was made from the JPEG. The JPEG's own picture is CV_8U, as
// it is stored.
bool can_be_saved_from(const Source& picture, const cv::Mat& jpeg, const FileDescription& file);

// True if two pictures are equal up to kDecodersDiffer grey levels in each channel.
bool has_pixels_of(const cv::Mat& one, const cv::Mat& other);

inline constexpr double kDecodersDiffer = 2;

// Returns how many sides of a crop's place in a larger picture lie inside it, and along how many of
// them an edge runs, as along a frame or a neighbour in a collage. A cut leaves no edge.
struct CropSides {
  int inside = 0;
  int with_edge = 0;
};
CropSides crop_sides(const cv::Mat& larger, const Quad& place);

}  // namespace lookalike
