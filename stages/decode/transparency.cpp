#include "stages/decode/transparency.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <opencv2/imgproc.hpp>

namespace lookalike {
namespace {

using Weights = std::array<std::uint64_t, 256>;

constexpr int kOpaque = 255;

std::uint8_t share(int value, int of) {
  return static_cast<std::uint8_t>(std::min(255, (value * 255 + of / 2) / of));
}

// Divides colours by their alpha. Leaves the image as it is if any colour exceeds its alpha: it is
// not premultiplied then.
cv::Mat divided_by_alpha(const cv::Mat& bgra) {
  const auto exceeds = [](const cv::Vec4b& pixel) {
    return std::max({pixel[0], pixel[1], pixel[2]}) > pixel[3];
  };
  if (std::any_of(bgra.begin<cv::Vec4b>(), bgra.end<cv::Vec4b>(), exceeds)) return bgra;
  cv::Mat_<cv::Vec4b> divided = bgra.clone();
  for (cv::Vec4b& pixel : divided) {
    if (pixel[3] == 0 || pixel[3] == kOpaque) continue;
    for (int i = 0; i < 3; ++i) pixel[i] = share(pixel[i], pixel[3]);
  }
  return divided;
}

Weights weights_of(const cv::Mat& gray, const cv::Mat& alpha) {
  Weights weights{};
  for (int y = 0; y < gray.rows; ++y) {
    const auto* levels = gray.ptr<std::uint8_t>(y);
    const auto* shares = alpha.ptr<std::uint8_t>(y);
    for (int x = 0; x < gray.cols; ++x) weights[levels[x]] += shares[x];
  }
  return weights;
}

// Returns the distance of the ground from the levels that leaves kGroundContrast at the mean alpha,
// where each pixel's weight is its alpha.
int contrast_for(const cv::Mat& alpha) {
  const double squares = alpha.dot(alpha);
  if (squares == 0) return kGroundContrast;
  return std::min(kOpaque, cvRound(kGroundContrast * kOpaque * cv::sum(alpha)[0] / squares));
}

// Treats all interleaved channels alike.
void lay_over(cv::Mat& pixels, const cv::Mat& alpha, std::uint8_t ground) {
  const int channels = pixels.channels();
  for (int y = 0; y < pixels.rows; ++y) {
    auto* values = pixels.ptr<std::uint8_t>(y);
    const auto* shares = alpha.ptr<std::uint8_t>(y);
    for (int x = 0; x < pixels.cols; ++x) {
      const int rest = (kOpaque - shares[x]) * ground + kOpaque / 2;
      for (int i = 0; i < channels; ++i, ++values) {
        *values = static_cast<std::uint8_t>((*values * shares[x] + rest) / kOpaque);
      }
    }
  }
}

}  // namespace

std::uint8_t ground_for(const Weights& weights, int contrast) {
  double total = 0;
  double sum = 0;
  for (std::size_t level = 0; level < weights.size(); ++level) {
    total += static_cast<double>(weights[level]);
    sum += static_cast<double>(weights[level]) * static_cast<double>(level);
  }
  if (total == 0) return 128;
  const auto from_mean = [&](int level) { return std::abs(level - sum / total); };
  std::uint64_t best_score = 0;
  int best = 0;
  for (int ground = 0; ground < 256; ++ground) {
    std::uint64_t score = 0;
    for (int level = 0; level < 256; ++level) {
      score += weights[static_cast<std::size_t>(level)] *
               static_cast<std::uint64_t>(std::min(contrast, std::abs(level - ground)));
    }
    if (score > best_score || (score == best_score && from_mean(ground) < from_mean(best))) {
      best_score = score;
      best = ground;
    }
  }
  return static_cast<std::uint8_t>(best);
}

std::optional<ShownPixels> compose(const cv::Mat& stored, bool premultiplied, bool in_colour) {
  cv::Mat bgra = stored;
  if (stored.type() == CV_16UC4) stored.convertTo(bgra, CV_8U, 1.0 / 257);
  if (bgra.type() != CV_8UC4) return std::nullopt;
  ShownPixels shown;
  cv::extractChannel(bgra, shown.alpha, 3);
  if (cv::countNonZero(shown.alpha != kOpaque) == 0) return std::nullopt;
  if (premultiplied) bgra = divided_by_alpha(bgra);
  cv::Mat gray;
  cv::cvtColor(bgra, gray, cv::COLOR_BGRA2GRAY);
  const std::uint8_t ground = ground_for(weights_of(gray, shown.alpha), contrast_for(shown.alpha));
  if (in_colour) {
    cv::cvtColor(bgra, shown.pixels, cv::COLOR_BGRA2BGR);
  } else {
    shown.pixels = gray;
  }
  lay_over(shown.pixels, shown.alpha, ground);
  return shown;
}

}  // namespace lookalike
