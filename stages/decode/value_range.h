#pragma once

#include <optional>

#include <opencv2/core.hpp>

namespace lookalike {

// Which values of a picture are black and white, where they are not 0 and the greatest number of
// their bits.
struct ValueRange {
  double white = 0;            // 0: as the values are, see in_range()
  bool white_is_zero = false;  // values count from white to black
};

// Brings values to 8 bits. Without a stated white, floats that all lie in [0, 1] are scaled from
// there, others from their least to their greatest value. Clips to the range; NaN becomes the
// least. Treats all channels alike.
cv::Mat in_range(const cv::Mat& stored, const ValueRange& range);

// Returns a picture of 16 bits brought to 8 by its own least and greatest value if these lie within
// a sixteenth of the range, as what a camera of 12 bits or fewer stores there; of each value, the
// 8 upper bits would keep 16 levels at most. Nothing for other pictures, for one level, and for
// noise, which the means of blocks do not show.
std::optional<cv::Mat> stretched(const cv::Mat& stored, const ValueRange& range);

// True if 8 bits of a picture, of any channels, are so few levels that stretched() may have more.
bool has_few_levels(const cv::Mat& pixels);

}  // namespace lookalike
