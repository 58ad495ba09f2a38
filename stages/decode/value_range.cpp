#include "stages/decode/value_range.h"

#include <algorithm>
#include <limits>

#include <opencv2/imgproc.hpp>

namespace lookalike {
namespace {

// The values of a picture as floats, a row at a time, since all of them may take gigabytes.
class FloatRows {
 public:
  explicit FloatRows(const cv::Mat& stored) : stored_(stored) {}

  // Returns the samples of a row, valid until the next call.
  cv::Mat row(int y) {
    stored_.row(y).convertTo(row_, CV_32F);
    return row_.reshape(1);
  }

 private:
  const cv::Mat& stored_;
  cv::Mat row_;
};

struct Ends {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
};

// Returns the least and the greatest number; 0 and 1 if there is none, or floats lie between these.
Ends ends_of(const cv::Mat& stored) {
  Ends ends;
  FloatRows rows(stored);
  for (int y = 0; y < stored.rows; ++y) {
    const cv::Mat row = rows.row(y);
    const cv::Mat is_finite = cv::abs(row) <= std::numeric_limits<float>::max();
    if (cv::countNonZero(is_finite) == 0) continue;
    double low = 0;
    double high = 0;
    cv::minMaxLoc(row, &low, &high, nullptr, nullptr, is_finite);
    ends = {std::min(ends.low, low), std::max(ends.high, high)};
  }
  const bool is_share = stored.depth() >= CV_32F && ends.low >= 0 && ends.high <= 1;
  if (is_share || ends.low > ends.high) return {0, 1};
  return ends;
}

// Range of 16-bit values below which stretched() stretches a picture.
constexpr double kFewLevels = 65536.0 / 16;

// True if a picture is noise: the means of its blocks of 64 pixels hardly vary. For white noise
// their variance is 1/64 of that of the pixels, for smoothed noise somewhat more. The least of 181
// photos and pages was 0.24, of a form.
bool is_noise(const cv::Mat& pixels) {
  constexpr int kBlock = 8;  // px
  constexpr double kLeastShare = 0.1;
  const cv::Size blocks(pixels.cols / kBlock, pixels.rows / kBlock);
  if (blocks.width < 2 || blocks.height < 2) return false;
  cv::Mat means;
  cv::resize(pixels, means, blocks, 0, 0, cv::INTER_AREA);
  const auto variance = [](const cv::Mat& of) {
    cv::Scalar mean;
    cv::Scalar deviation;
    cv::meanStdDev(of, mean, deviation);
    return deviation.dot(deviation);
  };
  return variance(means) < kLeastShare * variance(pixels);
}

}  // namespace

bool has_few_levels(const cv::Mat& pixels) {
  double low = 0;
  double high = 0;
  cv::minMaxLoc(pixels.reshape(1), &low, &high);
  return high - low <= kFewLevels / 256;
}

std::optional<cv::Mat> stretched(const cv::Mat& stored, const ValueRange& range) {
  if (stored.depth() != CV_16U || stored.channels() > 3) return std::nullopt;
  const auto [low, high] = ends_of(stored);
  if (high - low >= kFewLevels || high == low) return std::nullopt;
  cv::Mat result = in_range(stored, {.white_is_zero = range.white_is_zero});
  if (is_noise(result)) return std::nullopt;
  return result;
}

cv::Mat in_range(const cv::Mat& stored, const ValueRange& range) {
  const auto [low, high] = range.white > 0 ? Ends{0, range.white} : ends_of(stored);
  const double extent = high > low ? high - low : 1;
  const double scale = (range.white_is_zero ? -255 : 255) / extent;
  const double shift = -scale * (range.white_is_zero ? high : low);
  cv::Mat result(stored.size(), CV_MAKETYPE(CV_8U, stored.channels()));
  FloatRows rows(stored);
  for (int y = 0; y < stored.rows; ++y) {
    cv::Mat row = rows.row(y);
    cv::patchNaNs(row, low);
    row = cv::min(cv::max(row, low), high);
    cv::Mat line = result.row(y).reshape(1);
    row.convertTo(line, CV_8U, scale, shift);
  }
  return result;
}

}  // namespace lookalike
