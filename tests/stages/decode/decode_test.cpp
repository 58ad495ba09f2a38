#include "stages/decode/decode.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/program.h"
#include "tests/stages/pictures.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t kFullSize = 16384;

class DecodeTest : public ::testing::Test {
 protected:
  DecodedImage decoded(const std::vector<std::uint8_t>& bytes,
                       std::uint32_t longest_side_px = kFullSize) {
    auto result = decode_file(folder_.write("image", text(bytes)), longest_side_px, limits_);
    if (const auto* skipped = std::get_if<SkippedFile>(&result)) {
      ADD_FAILURE() << skipped->reason << ": " << skipped->detail;
      return {};
    }
    return std::get<DecodedImage>(std::move(result));
  }
  SkippedFile skipped(const std::string& path, std::uint32_t longest_side_px = kFullSize) {
    auto result = decode_file(path, longest_side_px, limits_);
    EXPECT_TRUE(std::holds_alternative<SkippedFile>(result));
    return std::get<SkippedFile>(std::move(result));
  }
  std::string reason(const std::vector<std::uint8_t>& bytes) {
    return skipped(folder_.write("image", text(bytes))).reason;
  }
  static cv::Mat view(const GrayImage& image) {
    return {image.height, image.width, CV_8U, const_cast<std::uint8_t*>(image.pixels.data())};
  }
  static double difference(const GrayImage& image, const cv::Mat& expected) {
    return cv::norm(view(image), expected, cv::NORM_INF);
  }

  TemporaryFolder folder_;
  ImagesOptions limits_;
};

TEST_F(DecodeTest, PngComesBackAsItWas) {
  const cv::Mat picture = draw_picture(61, 47, 1);
  const std::vector<std::uint8_t> bytes = encode(".png", picture);
  const DecodedImage image = decoded(bytes);
  EXPECT_EQ(difference(image.pixels, picture), 0);
  EXPECT_EQ(image.record.width, 61);
  EXPECT_EQ(image.record.height, 47);
  EXPECT_EQ(image.scale, 1);
  EXPECT_EQ(image.record.content, hash_content(bytes));
  EXPECT_EQ(image.record.file.size_bytes, bytes.size());
  EXPECT_GT(image.record.file.modified_ns, 0);
}

TEST_F(DecodeTest, StripsKeepAShorterSideThatHasFeatures) {
  const WantedSize size = WantedSize(1024, 640).with_strips();
  const auto shown = [&](int width, int height) {
    const auto image = std::get<DecodedImage>(lookalike::decode(
        loaded_bytes("strip", encode(".png", draw_picture(width, height, 1))), size, limits_));
    EXPECT_NEAR(image.scale, double(image.pixels.width) / width, 0.01);
    return cv::Size(image.pixels.width, image.pixels.height);
  };
  EXPECT_EQ(shown(3000, 60), cv::Size(3200, 64));
  EXPECT_EQ(shown(60, 3000), cv::Size(64, 3200));
  EXPECT_EQ(shown(400, 20), cv::Size(1280, 64));
  EXPECT_EQ(shown(20'000, 30), cv::Size(26'439, 40));
  // Others are what their longest side demands.
  EXPECT_EQ(shown(1600, 100), cv::Size(1024, 64));
  EXPECT_EQ(shown(1500, 100), cv::Size(1024, 68));
  EXPECT_EQ(shown(300, 300), cv::Size(640, 640));
}

TEST_F(DecodeTest, SixteenBitsAndAlphaBecomeEightBitGrey) {
  const cv::Mat picture = draw_picture(40, 40, 2);
  cv::Mat deep;
  picture.convertTo(deep, CV_16U, 257);
  EXPECT_LE(difference(decoded(encode(".png", deep)).pixels, picture), 1);
  cv::Mat with_alpha;
  cv::cvtColor(picture, with_alpha, cv::COLOR_GRAY2BGRA);
  EXPECT_LE(difference(decoded(encode(".png", with_alpha)).pixels, picture), 1);
}

TEST_F(DecodeTest, FewOfManyLevelsAreStretchedAndNoiseIsNot) {
  cv::Mat picture;  // from black to white
  cv::normalize(draw_picture(160, 120, 2), picture, 0, 255, cv::NORM_MINMAX);
  cv::Mat noise(picture.size(), CV_8U);
  cv::RNG(1).fill(noise, cv::RNG::UNIFORM, 0, 256);
  const auto stored = [](const cv::Mat& of, double least, double extent) {
    cv::Mat deep;
    of.convertTo(deep, CV_16U, extent / 255, least);
    return deep;
  };
  for (const char* ending : {".png", ".tiff", ".pgm", ".jp2"}) {
    SCOPED_TRACE(ending);
    const auto shown = [&](const cv::Mat& deep) { return decoded(encode(ending, deep)).pixels; };
    EXPECT_LE(difference(shown(stored(picture, 200, 1200)), picture), 1);
    EXPECT_LE(difference(shown(stored(picture, 60'000, 4000)), picture), 1);
    cv::Mat dark;
    stored(picture, 200, 6000).convertTo(dark, CV_8U, 1 / 257.0);
    EXPECT_LE(difference(shown(stored(picture, 200, 6000)), dark), 1);
    const cv::Mat black = cv::Mat::zeros(picture.size(), CV_8U);
    EXPECT_LE(difference(shown(stored(noise, 0, 300)), black), 2);
    EXPECT_LE(difference(shown(stored(black, 300, 0)), black), 2);
  }
  cv::Mat colour;
  cv::cvtColor(stored(picture, 200, 1200), colour, cv::COLOR_GRAY2BGRA);
  cv::Mat opaque(colour.size(), CV_16U, cv::Scalar(65535));
  cv::insertChannel(opaque, colour, 3);
  EXPECT_LE(difference(decoded(encode(".png", colour)).pixels, picture), 1) << "opaque alpha";
}

TEST_F(DecodeTest, EveryFormatIsRead) {
  const cv::Mat picture = draw_picture(80, 64, 3);
  cv::Mat colour;
  cv::cvtColor(picture, colour, cv::COLOR_GRAY2BGR);
  for (const char* extension : {".bmp", ".tiff", ".pgm", ".webp", ".jp2", ".jpg"}) {
    const std::string name = extension;
    const DecodedImage image = decoded(encode(name, name == ".pgm" ? picture : colour));
    EXPECT_EQ(image.record.width, 80) << name;
    EXPECT_EQ(image.record.height, 64) << name;
  }
}

TEST_F(DecodeTest, ExifOrientationIsHonoured) {
  const cv::Mat upright = draw_picture(64, 48, 4);
  cv::Mat as_stored;
  cv::rotate(upright, as_stored, cv::ROTATE_90_COUNTERCLOCKWISE);  // orientation 6 turns it back
  const auto jpeg = encode(".jpg", as_stored, {cv::IMWRITE_JPEG_QUALITY, 100});
  const DecodedImage image = decoded(with_orientation(jpeg, 6));
  EXPECT_EQ(image.record.width, 64);
  EXPECT_EQ(image.record.height, 48);
  EXPECT_LE(difference(image.pixels, upright), 8);
}

TEST_F(DecodeTest, LongestSideIsReducedAndCoordinatesStayExact) {
  // The centre of a bright square far from the origin must be exact to a small fraction of a pixel,
  // for sizes that divide and sizes that do not.
  for (const char* extension : {".png", ".jpg"}) {
    for (const cv::Size size : {cv::Size(1600, 1200), cv::Size(1603, 1201), cv::Size(901, 1999)}) {
      cv::Mat picture(size, CV_8U, cv::Scalar(0));
      const cv::Rect square(size.width - 105, size.height - 85, 64, 64);
      picture(square) = 255;
      const DecodedImage image = decoded(encode(extension, picture), 400);
      EXPECT_EQ(std::max(image.pixels.width, image.pixels.height), 400);
      EXPECT_EQ(image.record.width, size.width);
      EXPECT_EQ(image.record.height, size.height);
      const cv::Moments moments = cv::moments(view(image.pixels));
      EXPECT_NEAR(to_full_size(moments.m10 / moments.m00, image.scale), square.x + 31.5, 0.1);
      EXPECT_NEAR(to_full_size(moments.m01 / moments.m00, image.scale), square.y + 31.5, 0.1);
    }
  }
}

TEST_F(DecodeTest, LargeJpegIsReducedMuchAsAreaAveragingWould) {
  const cv::Mat picture = draw_picture(1600, 1200, 5);
  const auto jpeg = encode(".jpg", picture, {cv::IMWRITE_JPEG_QUALITY, 95});
  cv::Mat expected;
  cv::resize(cv::imdecode(jpeg, cv::IMREAD_GRAYSCALE), expected, {400, 300}, 0, 0, cv::INTER_AREA);
  const DecodedImage image = decoded(jpeg, 400);
  EXPECT_LE(cv::norm(view(image.pixels), expected, cv::NORM_L1) / (400 * 300), 2);
}

TEST_F(DecodeTest, ImageIsNeverEnlarged) {
  EXPECT_EQ(decoded(encode(".png", draw_picture(40, 30, 6)), 400).pixels.width, 40);
}

TEST_F(DecodeTest, EmptyFileIsSkipped) {
  EXPECT_EQ(reason({}), "empty");
}

TEST_F(DecodeTest, TextIsUndecodable) {
  EXPECT_EQ(reason({'h', 'e', 'l', 'l', 'o'}), "undecodable");
}

TEST_F(DecodeTest, FormatWhoseSizeIsNotKnownBeforehandIsNotDecoded) {
  const auto hdr = encode(".hdr", cv::Mat(40, 40, CV_32FC3, cv::Scalar(1, 1, 1)));
  EXPECT_EQ(reason(hdr), "undecodable");
}

TEST_F(DecodeTest, Jpeg2000IsHeldToTheSizeOfItsCodestreamWhateverItsBoxSays) {
  limits_.max_megapixels = 1;
  std::vector<std::uint8_t> bytes = encode(".jp2", draw_picture(1100, 1000, 11));
  const std::string box = "ihdr";
  const auto at = std::search(bytes.begin(), bytes.end(), box.begin(), box.end());
  ASSERT_NE(at, bytes.end());
  std::fill_n(at + 4, 8, std::uint8_t{0});
  *(at + 7) = 100;   // px high
  *(at + 11) = 100;  // px wide
  EXPECT_EQ(reason(bytes), "too_large");
}

TEST_F(DecodeTest, TruncatedFilesAreUndecodable) {
  // In a program OpenCV must print nothing; in the library it may.
  run_main("test", [] { return 0; });
  for (const char* extension : {".jpg", ".png", ".bmp", ".tiff", ".webp"}) {
    std::vector<std::uint8_t> bytes = encode(extension, draw_picture(200, 150, 7));
    bytes.resize(bytes.size() * 3 / 4);
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(reason(bytes), "undecodable") << extension;
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  }
}

TEST_F(DecodeTest, JpegThatLacksItsLastPixelsIsUndecodable) {
  std::vector<std::uint8_t> bytes = encode(".jpg", draw_picture(200, 150, 8));
  bytes.resize(bytes.size() - 2);
  EXPECT_EQ(decoded(bytes).record.width, 200);
  bytes.resize(bytes.size() - 2);
  EXPECT_EQ(reason(bytes), "undecodable");
}

TEST_F(DecodeTest, ProgressiveJpegWithTrailingBytesIsComplete) {
  std::vector<std::uint8_t> bytes =
      encode(".jpg", draw_picture(200, 150, 9), {cv::IMWRITE_JPEG_PROGRESSIVE, 1});
  bytes.insert(bytes.end(), {'t', 'r', 'a', 'i', 'l'});
  EXPECT_EQ(decoded(bytes).record.width, 200);
}

TEST_F(DecodeTest, OnePixelIsTooSmall) {
  EXPECT_EQ(reason(encode(".png", cv::Mat(1, 1, CV_8U, cv::Scalar(9)))), "too_small");
}

TEST_F(DecodeTest, SideThatVanishesAtTheReducedSizeIsTooSmall) {
  const auto strip = encode(".png", cv::Mat(16, 6000, CV_8U, cv::Scalar(9)));
  EXPECT_EQ(skipped(folder_.write("strip", text(strip)), 100).reason, "too_small");
  // Half a pixel remains.
  const auto half = encode(".png", cv::Mat(16, 3200, CV_8U, cv::Scalar(9)));
  EXPECT_EQ(skipped(folder_.write("half", text(half)), 100).reason, "too_small");
}

TEST_F(DecodeTest, LimitsOnBytesAndPixelsAreTooLarge) {
  limits_.max_megapixels = 1;
  EXPECT_EQ(reason(encode(".jpg", draw_picture(1001, 1000, 10))), "too_large");
  EXPECT_EQ(decoded(encode(".jpg", draw_picture(1000, 1000, 10))).record.width, 1000);
  limits_.max_file_mib = 1;
  EXPECT_EQ(reason(std::vector<std::uint8_t>((1 << 20) + 1)), "too_large");
}

TEST_F(DecodeTest, MissingFileHasVanished) {
  const SkippedFile file = skipped(folder_.path() / "missing.jpg");
  EXPECT_EQ(file.reason, "vanished");
  EXPECT_THAT(file.file.path, HasSubstr("missing.jpg"));
}

TEST_F(DecodeTest, FolderAndFifoAreUnreadable) {
  EXPECT_EQ(skipped(folder_.path()).reason, "unreadable");
  const std::string fifo = folder_.path() / "fifo.jpg";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(skipped(fifo).reason, "unreadable");
}

// The message and the kind of an error.
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
    return decode_region(std::get<LoadedFile>(load_file(path_, {})), region, size, {});
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
  const LoadedFile words = loaded_bytes("words.png", {'w', 'o', 'r', 'd', 's'});
  const auto decoded = decode_region(words, {0, 0, 20, 20}, 1024, {});
  EXPECT_EQ(std::get<SkippedFile>(decoded).reason, "undecodable");
}

}  // namespace
}  // namespace lookalike
