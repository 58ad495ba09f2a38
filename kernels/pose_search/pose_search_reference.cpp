#include <algorithm>
#include <array>
#include <cmath>

#include "base/image.h"
#include "kernels/pose_search/pose_search.h"

namespace lookalike {
namespace {

struct Tap {
  int x = 0;
  int y = 0;
  double value = 0;
};

double object_at(const PoseObject& object, double x, double y) {
  const auto at = [&](int column, int row) {
    return double{
        object.pixels[static_cast<std::size_t>(row) * static_cast<std::size_t>(object.width) +
                      static_cast<std::size_t>(column)]};
  };
  return bilinear(at, object.width, object.height, x, y);
}

Point turned(const Point& point, const TurnScale& pose) {
  const double a = pose.scale * std::cos(pose.turn);
  const double b = pose.scale * std::sin(pose.turn);
  return {a * point.x - b * point.y, b * point.x + a * point.y};
}

std::vector<Tap> taps_of(const PoseObject& object, const TurnScale& pose) {
  const Point part = centre_part(object);
  std::vector<Tap> taps;
  double sum = 0;
  for (const Point& point : object.points) {
    const Point moved = turned(point, pose);
    const double x = std::nearbyint(moved.x + part.x);
    const double y = std::nearbyint(moved.y + part.y);
    const Point back = turned({x - part.x, y - part.y}, {-pose.turn, 1 / pose.scale});
    taps.push_back({static_cast<int>(x), static_cast<int>(y),
                    object_at(object, object.centre.x + back.x, object.centre.y + back.y)});
    sum += taps.back().value;
  }
  double square = 0;
  for (Tap& tap : taps) {
    tap.value -= sum / static_cast<double>(taps.size());
    square += tap.value * tap.value;
  }
  const bool is_flat = !(square > kPoseFlatVariance * static_cast<double>(taps.size()));
  for (Tap& tap : taps) tap.value = is_flat ? 0 : tap.value / std::sqrt(square);
  return taps;
}

bool fits(const std::vector<Tap>& taps, int x, int y, const PlainLevel& level) {
  return std::all_of(taps.begin(), taps.end(), [&](const Tap& tap) {
    return x + tap.x >= -kPoseSlackPx && x + tap.x < level.width + kPoseSlackPx &&
           y + tap.y >= -kPoseSlackPx && y + tap.y < level.height + kPoseSlackPx;
  });
}

double score(const std::vector<Tap>& taps, int x, int y, const PlainLevel& level) {
  double sum = 0;
  double square = 0;
  double product = 0;
  for (const Tap& tap : taps) {
    const double pixel = level.at(x + tap.x, y + tap.y);
    sum += pixel;
    square += pixel * pixel;
    product += pixel * tap.value;
  }
  const double spread = square - sum * sum / static_cast<double>(taps.size());
  if (!(spread > kPoseFlatShare * square)) return kPoseFlat;
  return std::clamp(product / std::sqrt(spread), -1.0, 1.0);
}

PlainLevel halved(const PlainLevel& from) {
  constexpr std::array kTaps = {0.0625F, 0.25F, 0.375F, 0.25F, 0.0625F};
  PlainLevel to{.pixels = {}, .width = (from.width + 1) / 2, .height = (from.height + 1) / 2};
  for (int y = 0; y < to.height; ++y) {
    for (int x = 0; x < to.width; ++x) {
      float sum = 0;
      for (int i = 0; i < 25; ++i) {
        sum += kTaps[static_cast<std::size_t>(i % 5)] * kTaps[static_cast<std::size_t>(i / 5)] *
               from.at(2 * x + i % 5 - 2, 2 * y + i / 5 - 2);
      }
      to.pixels.push_back(sum);
    }
  }
  return to;
}

}  // namespace

float PlainLevel::at(int x, int y) const {
  return pixels[static_cast<std::size_t>(std::clamp(y, 0, height - 1)) *
                    static_cast<std::size_t>(width) +
                static_cast<std::size_t>(std::clamp(x, 0, width - 1))];
}

std::vector<PlainLevel> scene_pyramid_reference(const ImageView& image, int levels) {
  std::vector<PlainLevel> pyramid(1);
  pyramid[0].width = image.width;
  pyramid[0].height = image.height;
  for (std::size_t i = 0; i < image.size(); ++i) {
    pyramid[0].pixels.push_back(static_cast<float>(image.pixels[i]) - 128.0F);
  }
  while (pyramid.size() < static_cast<std::size_t>(levels))
    pyramid.push_back(halved(pyramid.back()));
  return pyramid;
}

std::vector<float> pose_scores_reference(const PlainLevel& level, const PoseObject& object,
                                         const TurnScale& pose, bool either) {
  const std::vector<Tap> taps = taps_of(object, pose);
  std::vector<float> scores;
  for (int y = 0; y < level.height; ++y) {
    for (int x = 0; x < level.width; ++x) {
      double here = kPoseOutside;
      if (fits(taps, x, y, level)) here = score(taps, x, y, level);
      if (either && here >= -1) here = std::abs(here);
      scores.push_back(static_cast<float>(here));
    }
  }
  return scores;
}

PoseFitSums fit_sums_reference(const PlainLevel& level, const PoseObject& object,
                               const CentrePose& pose) {
  const auto scene = [&](double x, double y) {
    return bilinear([&](int column, int row) { return double{level.at(column, row)}; }, level.width,
                    level.height, x, y);
  };
  PoseFitSums sums{};
  for (std::size_t i = 0; i < object.pixels.size(); ++i) {
    if (object.mask[i] == 0) continue;
    const auto width = static_cast<std::size_t>(object.width);
    const Point arm = turned({static_cast<double>(i % width) - object.centre.x,
                              static_cast<double>(i / width) - object.centre.y},
                             pose.turn_scale);
    const double x = pose.centre.x + arm.x;
    const double y = pose.centre.y + arm.y;
    if (!(x > -kPoseRimPx && y > -kPoseRimPx && x < level.width - 1 + kPoseRimPx &&
          y < level.height - 1 + kPoseRimPx)) {
      continue;
    }
    const double right = scene(x + 0.5, y) - scene(x - 0.5, y);
    const double down = scene(x, y + 0.5) - scene(x, y - 0.5);
    const std::array<double, 7> terms = {right,
                                         down,
                                         down * arm.x - right * arm.y,
                                         right * arm.x + down * arm.y,
                                         object.pixels[i],
                                         1,
                                         scene(x, y) - pose.grey};
    std::size_t out = 0;
    for (std::size_t row = 0; row < terms.size(); ++row) {
      for (std::size_t column = row; column < terms.size(); ++column) {
        sums[out++] += terms[row] * terms[column];
      }
    }
  }
  return sums;
}

}  // namespace lookalike
