#include "stages/match/refine/colour.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <opencv2/imgproc.hpp>

#include "stages/match/refine/frame.h"

namespace lookalike {
namespace {

constexpr double kNeutral = 128;
constexpr double kGreyChroma = 9;  // mean square of the chroma of a grey picture, at most
// The ratio by which light changes a channel more than the three together, at most: a camera has
// balanced most of it.
constexpr double kMostTint = 1.6;
constexpr double kNeutralChroma = 12;  // what is about this colourful at most shows the light

// Sums of products of two pictures' chroma about neutral grey.
struct ChromaSums {
  double count = 0;
  double of_object = 0;
  double of_scene = 0;
  double common = 0;
};

ChromaSums chroma_sums(const cv::Mat& object, const cv::Mat& scene, const cv::Mat& mask) {
  ChromaSums sums;
  const auto one = chroma_of(object);
  const auto two = chroma_of(scene);
  for (int y = 0; y < mask.rows; ++y) {
    for (int x = 0; x < mask.cols; ++x) {
      if (mask.at<std::uint8_t>(y, x) == 0) continue;
      ++sums.count;
      for (std::size_t i = 0; i < 2; ++i) {
        const double a = one[i].at<std::uint8_t>(y, x) - kNeutral;
        const double b = two[i].at<std::uint8_t>(y, x) - kNeutral;
        sums.of_object += a * a;
        sums.of_scene += b * b;
        sums.common += a * b;
      }
    }
  }
  return sums;
}

}  // namespace

std::array<cv::Mat, 2> chroma_of(const cv::Mat& colours) {
  cv::Mat converted;
  cv::Mat parts[3];
  cv::cvtColor(colours, converted, cv::COLOR_BGR2YCrCb);
  cv::split(converted, parts);
  constexpr double kSmooth = 0.75;
  for (cv::Mat& part : parts) cv::GaussianBlur(part, part, {}, kSmooth);
  return {parts[2], parts[1]};
}

cv::Mat balanced(const cv::Mat& scene, const cv::Mat& object, const cv::Mat& mask) {
  constexpr double kPrior = 0.02;  // share of the pixels that count as unchanged
  const auto chroma = chroma_of(object);
  double of_object[3] = {};
  double of_scene[3] = {};
  for (int y = 0; y < mask.rows; ++y) {
    for (int x = 0; x < mask.cols; ++x) {
      if (mask.at<std::uint8_t>(y, x) == 0) continue;
      const double off = std::hypot(chroma[0].at<std::uint8_t>(y, x) - kNeutral,
                                    chroma[1].at<std::uint8_t>(y, x) - kNeutral);
      const double weight = std::exp(-off * off / (kNeutralChroma * kNeutralChroma));
      for (int i = 0; i < 3; ++i) {
        of_object[i] += weight * object.at<cv::Vec3b>(y, x)[i];
        of_scene[i] += weight * scene.at<cv::Vec3b>(y, x)[i];
      }
    }
  }
  const double prior = kPrior * 255 * cv::countNonZero(mask) + 1;
  const auto total = [&](const double(&sums)[3]) {
    return sums[0] + sums[1] + sums[2] + 3 * prior;
  };
  const double common = total(of_object) / total(of_scene);
  cv::Scalar gains;
  for (int i = 0; i < 3; ++i) {
    const double own = (of_object[i] + prior) / (of_scene[i] + prior);
    gains[i] = std::clamp(own, common / kMostTint, common * kMostTint);
  }
  cv::Mat result;
  cv::multiply(scene, gains, result);
  return result;
}

bool is_grey(const ColourImage& picture) {
  if (picture.empty()) return true;
  const cv::Mat colours = side_of(picture).colours;
  const ChromaSums sums =
      chroma_sums(colours, colours, cv::Mat(colours.size(), CV_8U, cv::Scalar(255)));
  return sums.of_object <= kGreyChroma * sums.count;
}

std::optional<double> colour_agreement(const ColourImage& object, const ColourImage& scene,
                                       const Homography& object_to_scene) {
  if (object.empty() || scene.empty()) return std::nullopt;
  const Side one = side_of(object);
  const Side two = side_of(scene);
  const Homography map = loaded_to_full(scene).inverse() * object_to_scene * loaded_to_full(object);
  const Frame frame = FrameMaker(one, two, map).make_colours();
  cv::Mat mask;
  cv::resize(frame.mask, mask, frame.object.colours.size(), 0, 0, cv::INTER_NEAREST);
  const ChromaSums sums = chroma_sums(
      frame.object.colours, balanced(frame.scene.colours, frame.object.colours, mask), mask);
  const double both = sums.of_object + sums.of_scene;
  if (sums.count == 0 || both <= 2 * kGreyChroma * sums.count) return std::nullopt;
  return 2 * sums.common / both;
}

}  // namespace lookalike
