#include "stages/decode/image_header.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/stages/pictures.h"

namespace lookalike {
namespace {

using Bytes = std::vector<std::uint8_t>;

TEST(ImageHeader, SizeIsReadWithoutDecoding) {
  const cv::Mat gray = draw_picture(70, 33, 1);
  cv::Mat colour;
  cv::cvtColor(gray, colour, cv::COLOR_GRAY2BGR);
  for (const char* extension : {".jpg", ".png", ".bmp", ".tiff", ".ppm", ".webp", ".jp2"}) {
    const auto header = read_image_header(encode(extension, colour));
    ASSERT_TRUE(header.has_value()) << extension;
    EXPECT_EQ(header->width, 70U) << extension;
    EXPECT_EQ(header->height, 33U) << extension;
  }
  const auto lossless = encode(".webp", colour, {cv::IMWRITE_WEBP_QUALITY, 101});
  EXPECT_EQ(read_image_header(lossless)->width, 70U);
}

TEST(ImageHeader, ABitmapWhoseRowsRunFromTheTopHasItsHeight) {
  constexpr std::size_t kHeight = 22;  // the field, little-endian
  std::vector<std::uint8_t> bitmap = encode(".bmp", draw_picture(70, 33, 1));
  ASSERT_EQ(bitmap[kHeight], 33);
  const std::vector<std::uint8_t> minus_33 = {0xdf, 0xff, 0xff, 0xff};
  std::ranges::copy(minus_33, bitmap.begin() + kHeight);
  const auto header = read_image_header(bitmap);
  ASSERT_TRUE(header.has_value());
  EXPECT_EQ(header->width, 70U);
  EXPECT_EQ(header->height, 33U);
}

TEST(ImageHeader, SaysWhetherPixelsMayBeTransparent) {
  const cv::Mat colour(20, 30, CV_8UC3, cv::Scalar(1, 2, 3));
  const cv::Mat with_alpha(20, 30, CV_8UC4, cv::Scalar(1, 2, 3, 4));
  for (const char* extension : {".png", ".tiff", ".webp"}) {
    for (const int quality : {80, 101}) {
      const std::vector<int> parameters = {cv::IMWRITE_WEBP_QUALITY, quality};
      EXPECT_FALSE(read_image_header(encode(extension, colour, parameters))->has_alpha);
      EXPECT_TRUE(read_image_header(encode(extension, with_alpha, parameters))->has_alpha);
    }
  }
}

TEST(ImageHeader, HeifIsKnownByItsBrands) {
  const auto format = [](std::string_view start) {
    return format_of({reinterpret_cast<const std::uint8_t*>(start.data()), start.size()});
  };
  EXPECT_EQ(format({"\0\0\0\x14"
                    "ftypheic\0\0\0\0mif1",
                    20}),
            ImageFormat::kHeif);
  EXPECT_EQ(format({"\0\0\0\x18"
                    "ftypabcd\0\0\0\0isomavif",
                    24}),
            ImageFormat::kHeif);
  EXPECT_EQ(format({"\0\0\0\x14"
                    "ftypisom\0\0\0\0mp41heic",
                    24}),
            ImageFormat::kOther);
}

TEST(ImageHeader, ImagesAreKnownByTheirStart) {
  const auto begins = [](std::string_view start) {
    return begins_an_image({reinterpret_cast<const std::uint8_t*>(start.data()), start.size()});
  };
  const cv::Mat picture(120, 160, CV_8UC3, cv::Scalar(1, 2, 3));
  for (const char* ending : {".jpg", ".png", ".webp", ".tiff", ".bmp", ".ppm", ".jp2"}) {
    const std::vector<std::uint8_t> file = encode(ending, picture);
    EXPECT_TRUE(begins_an_image(std::span(file).first(40))) << ending;
  }
  EXPECT_TRUE(begins("GIF89a"));
  EXPECT_TRUE(begins("FUJIFILMCCD-RAW "));
  for (const std::string_view text : {"", "P5", "P1,P2\n", "<!DOCTYPE html>", "x,y,size,angle"}) {
    EXPECT_FALSE(begins(text)) << text;
  }
}

TEST(ImageHeader, OtherBytesHaveNone) {
  EXPECT_FALSE(read_image_header({}).has_value());
  const std::vector<std::uint8_t> words = {'P', 'l', 'a', 'i', 'n'};
  EXPECT_FALSE(read_image_header(words).has_value());
}

Bytes little_endian_tiff(const std::vector<std::array<std::uint32_t, 3>>& tags_types_values) {
  Bytes file = {'I', 'I', 42, 0, 8, 0, 0, 0};
  const auto put = [&](std::uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) file.push_back(static_cast<std::uint8_t>(value >> 8 * i));
  };
  put(static_cast<std::uint32_t>(tags_types_values.size()), 2);
  for (const auto& [tag, type, value] : tags_types_values) {
    put(tag, 2);
    put(type, 2);
    put(1, 4);
    put(value, 4);
  }
  put(0, 4);
  return file;
}

TEST(ImageHeader, ASizeThatStandsTwiceInATiffIsTheFirstAsForDecoders) {
  const auto header = read_image_header(
      little_endian_tiff({{256, 4, 16'000}, {256, 4, 64}, {257, 3, 900}, {257, 3, 64}}));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->width, 16'000U);
  EXPECT_EQ(header->height, 900U);
}

TEST(ImageHeader, ASizeOfAnotherTypeInATiffIsNone) {
  EXPECT_TRUE(read_image_header(little_endian_tiff({{256, 3, 64}, {257, 4, 64}})));
  EXPECT_FALSE(read_image_header(little_endian_tiff({{256, 11, 64}, {257, 4, 64}})));
}

// A box before the codestream holds what looks like the start of a small one.
TEST(ImageHeader, TheSizeOfAJpeg2000FileIsThatOfItsCodestream) {
  const Bytes whole = encode(".jp2", draw_picture(80, 60, 1));
  const std::string mark = "jp2c";
  const auto box = std::ranges::search(whole, mark).begin() - 4;
  Bytes decoy = {0, 0,  0, 64, 'u', 'u', 'i', 'd', 0xff, 0x4f, 0xff, 0x51,
                 0, 47, 0, 0,  0,   0,   0,   1,   0,    0,    0,    1};
  decoy.resize(64);
  Bytes file(whole.begin(), box);
  file.insert(file.end(), decoy.begin(), decoy.end());
  file.insert(file.end(), box, whole.end());
  const auto header = read_image_header(file);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->width, 80U);
  EXPECT_EQ(header->height, 60U);
}

TEST(ImageHeader, ACommentOfAPnmFileEndsWithItsLine) {
  for (const std::string end : {"\n", "\r"}) {
    const std::string file = "P5\n# 64 64" + end + "200 300\n255\n";
    const auto header = read_image_header(Bytes(file.begin(), file.end()));
    ASSERT_TRUE(header);
    EXPECT_EQ(header->width, 200U);
    EXPECT_EQ(header->height, 300U);
  }
}

TEST(ImageHeader, OtherFilesAreKnownByTheirFirstBytes) {
  const auto kind = [](const std::string& file) {
    return kind_of_other_file(Bytes(file.begin(), file.end()));
  };
  EXPECT_EQ(kind("%PDF-1.7\n"), "a PDF document");
  EXPECT_EQ(kind(std::string("\0\0\0\x14", 4) + "ftypqt  "), "a video");
  EXPECT_EQ(kind("RIFF....AVI LIST"), "a video");
  EXPECT_EQ(kind("<html><body>404"), "a web page");
  EXPECT_EQ(kind("text"), "");
}

TEST(ImageHeader, CutAnywhereNothingIsReadBeyondTheEnd) {
  const cv::Mat colour(40, 40, CV_8UC3, cv::Scalar(1, 2, 3));
  for (const char* extension : {".jpg", ".png", ".bmp", ".tiff", ".ppm", ".webp", ".jp2"}) {
    const std::vector<std::uint8_t> whole = encode(extension, colour);
    EXPECT_FALSE(ends_early(whole)) << extension;
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const std::vector<std::uint8_t> cut(whole.begin(),
                                          whole.begin() + static_cast<std::ptrdiff_t>(size));
      const auto header = read_image_header(cut);
      EXPECT_TRUE(!header || header->width > 0);
    }
  }
}

}  // namespace
}  // namespace lookalike
