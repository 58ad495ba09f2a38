#pragma once

#include <opencv2/core.hpp>

namespace lookalike {

// Which values of a picture are black and white, where they are not 0 and the greatest number of
// their bits.
struct ValueRange {
  double white = 0;            // 0: as the values are, see in_range()
  bool white_is_zero = false;  // values count from white to black
};

// Brings values to 8 bits. If the range states no white, floats of which all lie from 0 to 1 have
// that range; others have that from their least to their greatest. Values beyond a range become its
// ends, and what is no number becomes the least. All channels are treated alike.
cv::Mat in_range(const cv::Mat& stored, const ValueRange& range);

}  // namespace lookalike
