#include "stages/match/refine/squares.h"

#include <opencv2/imgproc.hpp>

#include "stages/match/refine/cell_map.h"

namespace lookalike {
namespace {

constexpr float kLeastCorrelation = 0.7F;
constexpr double kLeastDeviation = 5;  // grey levels

}  // namespace

std::optional<FoundSquare> find_square(const cv::Mat& object, const cv::Mat& scene,
                                       const cv::Mat& mask, cv::Point corner, int reach) {
  const cv::Rect square(corner, cv::Size(kSquarePx, kSquarePx));
  const cv::Rect window(corner - cv::Point(reach, reach),
                        cv::Size(kSquarePx + 2 * reach, kSquarePx + 2 * reach));
  if (cv::countNonZero(mask(window)) < window.area()) return std::nullopt;
  cv::Scalar mean;
  cv::Scalar deviation;
  cv::meanStdDev(object(square), mean, deviation);
  if (deviation[0] < kLeastDeviation) return std::nullopt;
  FoundSquare found;
  found.reach = reach;
  cv::matchTemplate(scene(window), object(square), found.correlations, cv::TM_CCOEFF_NORMED);
  cv::Point at;
  cv::minMaxLoc(found.correlations, nullptr, &found.correlation, nullptr, &at);
  if (found.correlation < kLeastCorrelation) return std::nullopt;
  if (at.x == 0 || at.y == 0 || at.x == 2 * reach || at.y == 2 * reach) return std::nullopt;
  const auto value = [&](int across, int down) {
    return found.correlations.at<float>(at.y + down, at.x + across);
  };
  const Point moved{at.x + peak_offset(value(-1, 0), value(0, 0), value(1, 0)) - reach,
                    at.y + peak_offset(value(0, -1), value(0, 0), value(0, 1)) - reach};
  const Point centre{corner.x + (kSquarePx - 1) / 2.0, corner.y + (kSquarePx - 1) / 2.0};
  found.centres = {centre, {centre.x + moved.x, centre.y + moved.y}};
  return found;
}

}  // namespace lookalike
