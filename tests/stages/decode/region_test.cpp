#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "stages/decode/decode.h"
#include "tests/stages/pictures.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using testing::HasSubstr;

// A message and its kind, as an error gave them.
template <typename Call>
std::string message_of(ErrorKind kind, Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  return "";
}

TEST(ParseRegion, ReadsFourWholeNumbers) {
  EXPECT_EQ(parse_region("0,7,16,300"), (Region{0, 7, 16, 300}));
}

TEST(ParseRegion, SaysWhatItMustBe) {
  for (const std::string text :
       {"", "1,2,30", "1,2,30,40,5", "1,2,30,40 ", "a,2,30,40", "1.5,2,30,40", "-1,2,30,40",
        "1,2,15,40", "1,2,30,-40", "1;2;30;40", "1,2,30,99999999999"}) {
    const std::string message = message_of(ErrorKind::kUsage, [&] { parse_region(text); });
    EXPECT_THAT(message, HasSubstr("X,Y,WIDTH,HEIGHT")) << text;
    EXPECT_THAT(message, HasSubstr('"' + text + '"'));
  }
}

// A photo of 200 x 100.
class DecodeRegionTest : public testing::Test {
 protected:
  DecodeRegionTest() { cv::imwrite(path_, picture_); }

  std::variant<DecodedImage, SkippedFile> decode(const Region& region, WantedSize size) const {
    return decode_region(path_, region, size, {});
  }

  TemporaryFolder folder_;
  const cv::Mat picture_ = draw_picture(200, 100, 1);
  const std::string path_ = (folder_.path() / "photo.png").native();
};

TEST_F(DecodeRegionTest, IsThePartAlone) {
  const auto image = std::get<DecodedImage>(decode({150, 60, 50, 40}, 1024));
  EXPECT_EQ(image.record.width, 50);
  EXPECT_EQ(image.record.height, 40);
  EXPECT_EQ(image.scale, 1);
  ASSERT_EQ(image.pixels.width, 50);
  ASSERT_EQ(image.pixels.height, 40);
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 50; ++x) {
      ASSERT_EQ(image.pixels.view().at(x, y), picture_.at<std::uint8_t>(60 + y, 150 + x));
    }
  }
}

TEST_F(DecodeRegionTest, IsResizedAsAPhotoOfItsSize) {
  const auto reduced = std::get<DecodedImage>(decode({0, 0, 80, 40}, 40));
  EXPECT_EQ(reduced.scale, 0.5);
  EXPECT_EQ(reduced.pixels.width, 40);
  ExtractOptions enlarging;
  enlarging.enlarge_to_px = 160;
  const auto enlarged = std::get<DecodedImage>(decode({0, 0, 80, 40}, wanted_size(enlarging)));
  EXPECT_EQ(enlarged.scale, 2);
  EXPECT_EQ(enlarged.pixels.height, 80);
  EXPECT_EQ(enlarged.record.width, 80);
}

TEST_F(DecodeRegionTest, OfWhichReducingLeavesNothingIsSkipped) {
  const auto skipped = std::get<SkippedFile>(decode({0, 0, 200, 16}, 4));
  EXPECT_EQ(skipped.reason, "too_small");
  EXPECT_THAT(skipped.detail, HasSubstr("region of 200 x 16 px"));
}

TEST_F(DecodeRegionTest, ThatLeavesThePhotoIsAnInputError) {
  for (const Region& region : {Region{151, 0, 50, 40}, Region{0, 61, 50, 40}, Region{0, 0, 201, 40},
                               Region{2147483647, 0, 50, 40}}) {
    EXPECT_THAT(message_of(ErrorKind::kInput, [&] { decode(region, 1024); }),
                HasSubstr("leaves the photo, which is 200 x 100 px"));
  }
}

TEST_F(DecodeRegionTest, OfAPhotoThatCannotBeUsedIsAValue) {
  const auto decoded = decode_region("/nowhere.png", {0, 0, 20, 20}, 1024, {});
  EXPECT_EQ(std::get<SkippedFile>(decoded).reason, "vanished");
}

}  // namespace
}  // namespace lookalike
