#include "pipeline/calibrate/made_photo.h"

#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>

#include "tests/stages/pictures.h"

namespace lookalike {
namespace {

class MadePhotoTest : public ::testing::Test {
 protected:
  cv::Mat make(std::uint64_t seed) const {
    Random random(seed);
    return make_photo(object_, background_, random);
  }

  const cv::Mat object_ = draw_picture(160, 120, 1);
  const cv::Mat background_ = draw_picture(320, 240, 2);
};

TEST_F(MadePhotoTest, HasTheSizeOfTheBackground) {
  EXPECT_EQ(make(1).size(), background_.size());
}

TEST_F(MadePhotoTest, SeedDecidesEverything) {
  EXPECT_EQ(cv::norm(make(5), make(5)), 0);
  EXPECT_GT(cv::norm(make(5), make(6)), 1000);
}

TEST_F(MadePhotoTest, BothPicturesCanBeSeen) {
  const cv::Mat white(120, 160, CV_8U, cv::Scalar(255));
  const cv::Mat black(240, 320, CV_8U, cv::Scalar(0));
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Random random(seed);
    const cv::Mat photo = make_photo(white, black, random);
    const double shown = cv::countNonZero(photo > 128) / static_cast<double>(photo.total());
    EXPECT_GT(shown, 0.04) << seed;
    EXPECT_LT(shown, 0.999) << seed;
  }
}

TEST_F(MadePhotoTest, CompressedIsAJpegOfThePhoto) {
  Random random(3);
  const cv::Mat photo = make(3);
  const cv::Mat back = cv::imdecode(compressed(photo, random), cv::IMREAD_GRAYSCALE);
  ASSERT_EQ(back.size(), photo.size());
  EXPECT_LT(cv::norm(back, photo, cv::NORM_L1) / static_cast<double>(photo.total()), 20);
}

}  // namespace
}  // namespace lookalike
