#include "stages/decode/pixels.h"

#include <string>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "stages/decode/decode.h"
#include "tests/stages/pictures.h"
#include "tests/stages/png_bytes.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using ::testing::HasSubstr;

class Pixels : public ::testing::Test {
 protected:
  SkippedFile skipped(const std::string& path) const {
    auto result = load_pixels(path, PixelMode::kColour, {});
    EXPECT_TRUE(std::holds_alternative<SkippedFile>(result));
    return std::get<SkippedFile>(std::move(result));
  }
  TemporaryFolder folder_;
};

TEST_F(Pixels, ComeAsTheyAreAskedFor) {
  const cv::Mat colour(20, 30, CV_8UC3, cv::Scalar(10, 20, 30));
  const std::string path = folder_.write("image", text(encode(".png", colour)));
  const ShownPixels loaded = must_load_pixels(path, PixelMode::kColour, {});
  EXPECT_EQ(cv::norm(loaded.pixels, colour, cv::NORM_INF), 0);
  EXPECT_TRUE(loaded.alpha.empty());
  EXPECT_EQ(must_load_pixels(path, PixelMode::kGray, {}).pixels.type(), CV_8U);
}

TEST_F(Pixels, OfASmallFileThatUnpacksToAHugeImageAreNotDecoded) {
  const auto bomb = png_bomb(encode(".png", draw_picture(40, 40, 1)));
  const SkippedFile file = skipped(folder_.write("bomb.png", text(bomb)));
  EXPECT_EQ(file.reason, "too_large");
  EXPECT_THAT(file.detail, HasSubstr("40000 x 40000 px"));
}

TEST_F(Pixels, OfAPngWhoseFirstChunkIsNotItsHeaderAreNotDecoded) {
  constexpr std::size_t kSignatureBytes = 8;
  auto png = png_bomb(encode(".png", draw_picture(40, 40, 1)));
  // The chunk has 16 and 16 where a header has width and height.
  const auto chunk = png_chunk("abCd", {0, 0, 0, 16, 0, 0, 0, 16, 8, 0, 0, 0, 0});
  png.insert(png.begin() + kSignatureBytes, chunk.begin(), chunk.end());
  ASSERT_EQ(png[19], 16);
  ASSERT_EQ(png[23], 16);
  EXPECT_FALSE(read_image_header(png));
  LoadedFile loaded;
  loaded.bytes = png;
  EXPECT_EQ(std::get<SkippedFile>(check_header(loaded, {})).reason, "undecodable");
  const std::string path = folder_.write("bomb.png", text(png));
  EXPECT_EQ(skipped(path).reason, "undecodable");
  EXPECT_EQ(std::get<SkippedFile>(decode_file(path, 1024, {})).reason, "undecodable");
}

TEST_F(Pixels, OfAFifoAreNotWaitedFor) {
  const std::string fifo = folder_.path() / "fifo.png";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(skipped(fifo).detail, "not a regular file");
}

TEST_F(Pixels, ThatMustBeThereAndAreNotAreAnInputError) {
  try {
    must_load_pixels(folder_.write("words.png", "words"), PixelMode::kColour, {});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_THAT(error.what(), HasSubstr("words.png: undecodable: not an image of a known format"));
  }
}

}  // namespace
}  // namespace lookalike
