#include "stages/decode/file_description.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/stages/pictures.h"
#include "tests/stages/png_bytes.h"

namespace lookalike {
namespace {

using testing::HasSubstr;
using testing::Optional;
using Bytes = std::vector<std::uint8_t>;

cv::Mat colour_picture() {
  cv::Mat colour;
  cv::cvtColor(draw_picture(64, 48, 1), colour, cv::COLOR_GRAY2BGR);
  return colour;
}

Bytes bytes_of_text(std::string_view text) {
  return {text.begin(), text.end()};
}

// The file with bytes put in at a place.
Bytes with(Bytes file, std::size_t at, const Bytes& more) {
  file.insert(file.begin() + static_cast<std::ptrdiff_t>(at), more.begin(), more.end());
  return file;
}

Bytes with_chunk(const std::string& name, const Bytes& data) {
  constexpr std::size_t kBehindHeader = 33;
  return with(encode(".png", colour_picture()), kBehindHeader, png_chunk(name, data));
}

// A JPEG with an application segment.
Bytes with_segment(std::uint8_t number, std::string_view content) {
  const std::size_t length = content.size() + 2;
  Bytes segment = {0xff, static_cast<std::uint8_t>(0xe0 + number),
                   static_cast<std::uint8_t>(length >> 8), static_cast<std::uint8_t>(length)};
  segment.insert(segment.end(), content.begin(), content.end());
  return with(encode(".jpg", colour_picture()), 2, segment);
}

std::optional<std::string> lost(const Bytes& file) {
  return held_beyond(describe_file(file), describe_file(encode(".jpg", colour_picture())));
}

TEST(FileDescription, APlainPictureHoldsNothingMore) {
  for (const char* extension : {".jpg", ".png", ".bmp", ".ppm"}) {
    EXPECT_EQ(lost(encode(extension, colour_picture())), std::nullopt) << extension;
  }
}

TEST(FileDescription, StatesTheQualityOfAJpeg) {
  for (const int quality : {50, 75, 85, 95}) {
    const FileDescription found =
        describe_file(encode(".jpg", colour_picture(), {cv::IMWRITE_JPEG_QUALITY, quality}));
    EXPECT_NEAR(found.jpeg_quality(), quality, 1);
    EXPECT_FALSE(found.is_lossless);
  }
  EXPECT_FALSE(describe_file(encode(".jpg", draw_picture(64, 48, 1))).has_colour);
  EXPECT_TRUE(describe_file(encode(".png", colour_picture())).is_lossless);
}

TEST(FileDescription, CountsFramesOfAnAnimatedPng) {
  EXPECT_THAT(lost(with_chunk("acTL", {0, 0, 0, 12, 0, 0, 0, 0})),
              Optional(HasSubstr("holds 12 frames, the other holds 1")));
  EXPECT_THAT(lost(with_chunk("acTL", {0, 0, 0, 2, 0, 0, 0, 0})), Optional(HasSubstr("2 frames")));
}

TEST(FileDescription, WhatIsNotUnderstoodIsMore) {
  EXPECT_THAT(lost(with_chunk("vpXx", {1})), Optional(HasSubstr("vpXx")));
  EXPECT_THAT(lost(with_segment(4, "heat of the scene")), Optional(HasSubstr("APP4")));
  EXPECT_TRUE(lost(bytes_of_text("8BPS\0\1 a layered picture")).has_value());
}

TEST(FileDescription, FindsWhatLiesBehindTheEnd) {
  const Bytes plain = encode(".jpg", colour_picture());
  const Bytes video = with(plain, plain.size(), bytes_of_text("....ftypisom a video"));
  EXPECT_THAT(lost(video), Optional(HasSubstr("video")));
  EXPECT_THAT(lost(with(plain, plain.size(), bytes_of_text("a recording"))),
              Optional(HasSubstr("11 bytes")));
  EXPECT_EQ(lost(with(plain, plain.size(), Bytes(100, 0))), std::nullopt) << "padding";
  // The same bytes behind another picture.
  EXPECT_EQ(held_beyond(describe_file(video), describe_file(video)), std::nullopt);
}

TEST(FileDescription, FindsFurtherPicturesAndGainMaps) {
  const std::string index("MPF\0II*\0\x08\0\0\0\x01\0\x01\xb0\x04\0\x01\0\0\0\x02\0\0\0\0\0\0\0",
                          30);
  EXPECT_THAT(lost(with_segment(2, index)), Optional(HasSubstr("2 pictures")));
  std::string xmp("http://ns.adobe.com/xap/1.0/\0", 29);
  xmp += "xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\"";
  EXPECT_THAT(lost(with_segment(1, xmp)), Optional(HasSubstr("gain map")));
}

TEST(FileDescription, FindsDepthOfBitsPagesAndTransparency) {
  cv::Mat fine;
  colour_picture().convertTo(fine, CV_16U, 257);
  EXPECT_THAT(lost(encode(".png", fine)), Optional(HasSubstr("16 bits")));
  cv::Mat clear;
  cv::cvtColor(colour_picture(), clear, cv::COLOR_BGR2BGRA);
  EXPECT_THAT(lost(encode(".png", clear)), Optional(HasSubstr("transparency")));
  const cv::Mat page = draw_picture(64, 48, 1);
  EXPECT_THAT(lost(encode_pages({page, page, page})), Optional(HasSubstr("3 pictures")));
}

TEST(FileDescription, AListThatClaimsMoreThanTheFileHoldsEnds) {
  Bytes heif = {0, 0, 0, 16, 'f', 't', 'y', 'p', 'h', 'e', 'i', 'c', 0, 0, 0, 0};
  const Bytes meta = {0, 0,  0,   28,  'm', 'e', 't', 'a', 0, 0, 0,    0,    0,    0,
                      0, 16, 'i', 'l', 'o', 'c', 1,   0,   0, 0, 0xff, 0xff, 0xff, 0xff};
  heif.insert(heif.end(), meta.begin(), meta.end());
  EXPECT_EQ(describe_file(heif).codec, Codec::kHeic);
}

}  // namespace
}  // namespace lookalike
