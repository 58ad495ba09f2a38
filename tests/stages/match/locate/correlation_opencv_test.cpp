// Correlation against OpenCV's matchTemplate, an implementation that shares nothing with it.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include <gtest/gtest.h>
#include <opencv2/imgproc.hpp>

#include "kernels/correlation/correlation.h"

namespace lookalike {
namespace {

GrayImage noise_image(std::mt19937& random, int width, int height) {
  std::uniform_int_distribution<int> pixel(0, 255);
  GrayImage image(width, height);
  for (std::uint8_t& value : image.pixels) value = static_cast<std::uint8_t>(pixel(random));
  return image;
}

int number_between(std::mt19937& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

cv::Mat as_mat(GrayImage& image) {
  return {image.height, image.width, CV_8UC1, image.pixels.data()};
}

// Noise of at least 16 pixels has no flat window, on which OpenCV may answer anything.
TEST(CorrelationOpenCvTest, FiveHundredRandomSizesAgree) {
  OpenClSession session;
  Correlation correlation(session);
  std::mt19937 random(20260);
  for (int i = 0; i < 500; ++i) {
    GrayImage image =
        noise_image(random, number_between(random, 4, 200), number_between(random, 4, 150));
    GrayImage pattern = noise_image(random, number_between(random, 4, std::min(image.width, 90)),
                                    number_between(random, 4, std::min(image.height, 90)));
    SCOPED_TRACE(std::to_string(image.width) + "x" + std::to_string(image.height) + " by " +
                 std::to_string(pattern.width) + "x" + std::to_string(pattern.height));
    cv::Mat expected;
    cv::matchTemplate(as_mat(image), as_mat(pattern), expected, cv::TM_CCOEFF_NORMED);
    const std::vector<float> map = correlation.map(image.view(), pattern.view());
    ASSERT_EQ(map.size(), expected.total());
    float largest = 0;
    for (std::size_t place = 0; place < map.size(); ++place) {
      ASSERT_FALSE(std::isnan(map[place]));
      largest = std::max(largest, std::abs(map[place] - expected.ptr<float>()[place]));
    }
    ASSERT_LE(largest, 1e-3F);
  }
}

}  // namespace
}  // namespace lookalike
