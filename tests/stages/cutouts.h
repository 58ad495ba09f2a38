#pragma once

#include <random>
#include <vector>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

// Drawings on a transparent ground, and photos of them, that tests draw for themselves.
namespace lookalike {

enum class Tones { kDark, kLight, kColoured };

// A colour between black and white that goes with the tones.
inline cv::Scalar draw_colour(Tones tones, std::mt19937& random) {
  const auto between = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low));
  };
  if (tones == Tones::kColoured) {
    cv::Mat colour(1, 1, CV_8UC3, cv::Scalar(between(0, 180), between(150, 256), between(80, 256)));
    cv::cvtColor(colour, colour, cv::COLOR_HSV2BGR);
    return cv::Scalar(colour.at<cv::Vec3b>(0, 0));
  }
  const int level = tones == Tones::kDark ? between(5, 105) : between(150, 250);
  return {double(level), double(level + between(0, 6)), double(level + between(0, 6))};
}

// A blob with shapes inside, 320 x 320 px of BGRA, the same for the same seed. Its rim is smooth;
// where it is transparent its colour is black.
inline cv::Mat draw_cutout(unsigned seed, Tones tones) {
  constexpr int kSide = 320;
  std::mt19937 random(seed);
  const auto below = [&](int limit) { return static_cast<int>(random() % unsigned(limit)); };
  const auto place = [&] { return cv::Point(30 + below(kSide - 60), 30 + below(kSide - 60)); };
  cv::Mat alpha(kSide, kSide, CV_8U, cv::Scalar(0));
  for (int i = 0; i < 4; ++i) {
    const cv::Point middle(kSide / 2 - 40 + below(80), kSide / 2 - 40 + below(80));
    cv::ellipse(alpha, middle, cv::Size(50 + below(50), 40 + below(40)), below(180), 0, 360,
                cv::Scalar(255), cv::FILLED, cv::LINE_AA);
  }
  cv::Mat colours(kSide, kSide, CV_8UC3, draw_colour(tones, random));
  for (int i = 0; i < 140; ++i) {
    const cv::Scalar colour = draw_colour(tones, random);
    const cv::Point at = place();
    const cv::Point to = at + cv::Point(4 + below(30), 4 + below(30));
    if (i % 3 == 0) cv::circle(colours, at, 3 + below(14), colour, cv::FILLED, cv::LINE_AA);
    if (i % 3 == 1) cv::rectangle(colours, at, to, colour, cv::FILLED);
    if (i % 3 == 2) cv::line(colours, at, to, colour, 2 + below(5), cv::LINE_AA);
  }
  colours.setTo(0, alpha == 0);
  cv::Mat cutout;
  cv::merge(std::vector<cv::Mat>{colours, alpha}, cutout);
  return cutout;
}

// Letters, dots and lines of one ink, 320 x 320 px of BGRA: nothing but transparency tells them
// from what is around them.
inline cv::Mat draw_stencil(unsigned seed, const cv::Scalar& ink) {
  constexpr int kSide = 320;
  std::mt19937 random(seed);
  const auto below = [&](int limit) { return static_cast<int>(random() % unsigned(limit)); };
  cv::Mat alpha(kSide, kSide, CV_8U, cv::Scalar(0));
  for (int i = 0; i < 60; ++i) {
    const cv::Point at(20 + below(kSide - 70), 20 + below(kSide - 70));
    const cv::Scalar cover(i % 4 == 3 ? 0 : 255);
    if (i % 2 == 0) cv::circle(alpha, at, 4 + below(16), cover, cv::FILLED, cv::LINE_AA);
    if (i % 2 == 1) {
      cv::line(alpha, at, at + cv::Point(below(50), below(50)), cover, 3 + below(6), cv::LINE_AA);
    }
  }
  cv::Mat cutout;
  cv::merge(std::vector<cv::Mat>{cv::Mat(kSide, kSide, CV_8UC3, ink), alpha}, cutout);
  return cutout;
}

// The cut-out laid on a ground of 3 channels, turned by up to 20 degrees and scaled by 0.7 to 1.2.
inline cv::Mat photo_on(const cv::Mat& ground, const cv::Mat& cutout, unsigned seed) {
  std::mt19937 random(seed);
  const auto share = [&] { return static_cast<double>(random() % 1001) / 1000; };
  const cv::Point2f middle(static_cast<float>(cutout.cols) / 2,
                           static_cast<float>(cutout.rows) / 2);
  cv::Mat place = cv::getRotationMatrix2D(middle, 40 * share() - 20, 0.7 + 0.5 * share());
  place.at<double>(0, 2) += (ground.cols - cutout.cols) / 2.0 + 60 * share() - 30;
  place.at<double>(1, 2) += (ground.rows - cutout.rows) / 2.0 + 40 * share() - 20;
  std::vector<cv::Mat> channels;
  cv::split(cutout, channels);
  cv::Mat share_of_cutout;
  channels[3].convertTo(share_of_cutout, CV_32F, 1.0 / 255);
  const auto laid = [&](const cv::Mat& image) {
    cv::Mat result;
    cv::warpAffine(image, result, place, ground.size(), cv::INTER_AREA);
    return result;
  };
  const cv::Mat cover = laid(share_of_cutout);
  std::vector<cv::Mat> grounds;
  cv::split(ground, grounds);
  for (std::size_t i = 0; i < 3; ++i) {
    cv::Mat own;
    channels[i].convertTo(own, CV_32F);
    cv::Mat beneath;
    grounds[i].convertTo(beneath, CV_32F);
    const cv::Mat sum = laid(own.mul(share_of_cutout)) + beneath.mul(1 - cover);
    sum.convertTo(grounds[i], CV_8U);
  }
  cv::Mat photo;
  cv::merge(grounds, photo);
  return photo;
}

}  // namespace lookalike
