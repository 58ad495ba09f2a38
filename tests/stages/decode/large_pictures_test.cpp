// Pictures that the linked readers leave to a reader process.
#include <cstdint>
#include <png.h>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/core.hpp>

#include "stages/decode/encode.h"
#include "stages/decode/readers.h"
#include "tests/address_space_limit.h"

namespace lookalike {
namespace {

constexpr int kLargeSidePx = 5760;  // 33 megapixels; a multiple of 8

TEST(LargePictures, HaveTheSamePixelsInAnotherProcess) {
  cv::Mat picture(kLargeSidePx, kLargeSidePx, CV_8UC3, cv::Scalar(20, 90, 200));
  cv::randu(picture(cv::Rect(100, 40, 800, 600)), cv::Scalar::all(0), cv::Scalar::all(256));
  for (const char* const ending : {".jpg", ".png", ".ppm"}) {
    const std::vector<std::uint8_t> file = encode_image(ending, picture);
    const ImageHeader header = read_image_header(file).value();
    const int divisor = header.format == ImageFormat::kJpeg ? 4 : 1;
    std::string problem;
    const cv::Mat apart = read_image(file, header, PixelMode::kColour, divisor, problem);
    const cv::Mat here = read_linked(file, header.format, PixelMode::kColour, divisor, problem);
    ASSERT_EQ(here.cols, kLargeSidePx / divisor) << ending << ": " << problem;
    ASSERT_EQ(apart.size(), here.size()) << ending << ": " << problem;
    EXPECT_EQ(cv::norm(apart, here, cv::NORM_INF), 0) << ending;
  }
}

void append_chunk(png_structp png, png_bytep data, std::size_t size) {
  auto& bytes = *static_cast<std::vector<std::uint8_t>*>(png_get_io_ptr(png));
  bytes.insert(bytes.end(), data, data + size);
}

// Returns a PNG file of one bit a pixel, a few kilobytes long.
std::vector<std::uint8_t> black_png(std::uint32_t side_px) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  std::vector<std::uint8_t> bytes;
  png_set_write_fn(png, &bytes, append_chunk, nullptr);
  png_set_IHDR(png, info, side_px, side_px, 1, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
  png_write_info(png, info);
  std::vector<std::uint8_t> row((side_px + 7) / 8);
  for (std::uint32_t y = 0; y < side_px; ++y) png_write_row(png, row.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return bytes;
}

TEST(LargePictures, GetNoGigabyteForAFewKilobytes) {
  if (!AddressSpaceLimit::kIsPossible) GTEST_SKIP() << "sanitizers need terabytes";
  const std::vector<std::uint8_t> file = black_png(16'000);
  ASSERT_LT(file.size(), 100'000U);
  const ImageHeader header = read_image_header(file).value();
  std::string problem;
  EXPECT_TRUE(read_image(file, header, PixelMode::kColour, 1, problem).empty());
  EXPECT_THAT(problem, testing::HasSubstr("more memory than a picture of its size"));
}

}  // namespace
}  // namespace lookalike
