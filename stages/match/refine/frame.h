#pragma once

#include <optional>

#include <opencv2/core.hpp>

#include "base/geometry.h"
#include "base/image.h"
#include "base/pair_sums.h"

// Two pictures of one thing, brought into one frame.
namespace lookalike {

// The pixels above which pictures are reduced before they are compared.
inline constexpr double kMostComparedPixels = 16e6;

// The planes of a picture, as loaded or in a frame.
struct Planes {
  cv::Mat brightness;  // CV_8U
  cv::Mat colours;     // CV_8UC3, ColourImage::kColourPx times smaller
};

// One of the pictures, as loaded.
struct Side : Planes {
  cv::Mat opaque;  // CV_8U, 0: transparent; empty if all is opaque
};

// Wraps a picture, which must outlive the result.
Side side_of(const ColourImage& picture);

// Returns the map from pixels as loaded to those of the full size.
Homography loaded_to_full(const ColourImage& picture);

// Both pictures as the object shows them.
struct Frame {
  Planes object;
  Planes scene;
  cv::Mat mask;  // CV_8U, 0 where one is not seen
  // CV_8U, 255 where one alone is transparent; empty if both are opaque. Set by FrameMaker::make().
  cv::Mat hidden{};
};

// A map that takes each pixel of one picture to one of another, as cutting, mirroring and turning
// by quarter turns do.
struct PixelMap {
  // Turns and mirrors, then moves; all integers.
  int xx = 1;
  int xy = 0;
  int yx = 0;
  int yy = 1;
  int x = 0;
  int y = 0;

  Homography homography() const {
    return {{double(xx), double(xy), double(x), double(yx), double(yy), double(y), 0, 0, 1}};
  }
};

// Returns the pixel map that takes no corner of the picture further than `slack_px` from where the
// given map takes it, if any.
std::optional<PixelMap> pixel_map(const Homography& map, cv::Size picture, double slack_px);

// Lays the scene's pixels into frames of the object. Both sides must outlive it.
class FrameMaker {
 public:
  //   map  from px of the object to px of the scene, both as loaded
  FrameMaker(const Side& object, const Side& scene, const Homography& map);

  // Returns a frame in the resolution of the poorer picture, of at most kMostComparedPixels.
  Frame make() const;
  // Returns the colours alone, with the mask of such a frame.
  Frame make_colours() const;
  // Returns the brightness alone, in a frame whose longest side is at most `side_px`, if given.
  Frame make_brightness(std::optional<double> side_px = std::nullopt) const;

 private:
  struct Scale;
  Scale scale_for(std::optional<double> side_px) const;
  Frame brightness_at(const Scale& scale) const;
  void add_colours(const Scale& scale, Frame& frame) const;
  cv::Mat laid(const cv::Mat& plane, const Scale& scale, int method) const;
  cv::Mat mask(const Scale& scale) const;
  cv::Mat hidden(const Scale& scale) const;
  cv::Mat seen_of_scene(cv::Size size) const;
  bool is_seen_whole() const;

  const Side& object_;
  const Side& scene_;
  const Homography map_;
  double shrink_ = 1;  // px of the scene per px of the object
  bool is_whole_ = false;
  std::optional<PixelMap> exact_;
};

// True if a map takes the outline of one picture to that of the other, which is upright.
bool is_resizing(const Homography& map, cv::Size from, cv::Size to);

// Returns the pixel map near a map that squares of the brightness confirm, if any.
std::optional<Homography> exact_map(const Side& object, const Side& scene, const Homography& map);

// Returns the map from the object to the scene corrected by squares of the brightness, which find
// errors of a few pixels, in ever finer frames, until another one could not gain much.
Homography aligned(const Side& object, const Side& scene, Homography map);

// Returns sums over a place of the object and the shifted place of the scene, CV_8U.
PairSums<double> sums_over(const cv::Mat& object, const cv::Mat& scene, cv::Rect place,
                           cv::Point shift = {});

inline constexpr int kMostShiftPx = 2;
// Calls take(sums) for a place of the object and each place of the scene up to kMostShiftPx away.
template <typename Take>
void for_each_shift(const cv::Mat& object, const cv::Mat& scene, cv::Rect place, const Take& take) {
  for (int y = -kMostShiftPx; y <= kMostShiftPx; ++y) {
    for (int x = -kMostShiftPx; x <= kMostShiftPx; ++x) {
      const cv::Rect moved = place + cv::Point(x, y);
      if ((moved & cv::Rect({}, scene.size())) == moved) {
        take(sums_over(object, scene, place, {x, y}));
      }
    }
  }
}

}  // namespace lookalike
