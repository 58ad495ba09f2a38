#pragma once

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

}  // namespace lookalike
