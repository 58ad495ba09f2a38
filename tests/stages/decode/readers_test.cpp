#include "stages/decode/readers.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <jpeglib.h>
#include <map>
#include <png.h>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>

#include "base/work_limits.h"
#include "stages/decode/encode.h"
#include "stages/decode/pixels.h"
#include "tests/stages/decode/transparent_files.h"
#include "tests/stages/pictures.h"
#include "tests/stages/png_bytes.h"

namespace lookalike {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct NamedFile {
  std::string name;
  Bytes bytes;
};

constexpr int kWide = 72;  // halves, quarters and eighths are whole
constexpr int kHigh = 56;

cv::Mat samples(int width, int height, int channels) {
  std::vector<cv::Mat> planes;
  for (int i = 0; i < channels; ++i)
    planes.push_back(draw_picture(width, height, 10U + unsigned(i)));
  cv::Mat merged;
  cv::merge(planes, merged);
  return merged;
}

struct JpegForm {
  J_COLOR_SPACE from = JCS_RGB;
  J_COLOR_SPACE stored = JCS_YCbCr;
  int sampling = 2;  // luma samples per chroma sample, on both axes
  bool progressive = false;
  bool arithmetic = false;
  unsigned restart_rows = 0;
  bool scan_per_component = false;
};

Bytes jpeg_file(const JpegForm& form, int width = kWide, int height = kHigh) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* data = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &data, &size);
  jpeg.image_width = static_cast<JDIMENSION>(width);
  jpeg.image_height = static_cast<JDIMENSION>(height);
  jpeg.in_color_space = form.from;
  jpeg.input_components = form.from == JCS_GRAYSCALE ? 1 : form.from == JCS_CMYK ? 4 : 3;
  jpeg_set_defaults(&jpeg);
  jpeg_set_colorspace(&jpeg, form.stored);
  jpeg.comp_info[0].h_samp_factor = jpeg.comp_info[0].v_samp_factor = form.sampling;
  jpeg.arith_code = form.arithmetic ? TRUE : FALSE;
  jpeg.restart_in_rows = static_cast<int>(form.restart_rows);
  if (form.progressive) jpeg_simple_progression(&jpeg);
  const std::array<jpeg_scan_info, 3> scans = {
      {{1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}}};
  if (form.scan_per_component) {
    jpeg.scan_info = scans.data();
    jpeg.num_scans = static_cast<int>(scans.size());
  }
  cv::Mat image = samples(width, height, jpeg.input_components);
  jpeg_start_compress(&jpeg, TRUE);
  for (int y = 0; y < height; ++y) {
    JSAMPROW row = image.ptr(y);
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  Bytes bytes(data, data + size);
  std::free(data);
  jpeg_destroy_compress(&jpeg);
  return bytes;
}

std::vector<NamedFile> jpeg_files() {
  std::vector<NamedFile> files = {
      {"grey", jpeg_file({JCS_GRAYSCALE, JCS_GRAYSCALE, 1})},
      {"colour 4:2:0", jpeg_file({})},
      {"colour 4:4:4", jpeg_file({.sampling = 1})},
      {"RGB", jpeg_file({.stored = JCS_RGB, .sampling = 1})},
      {"progressive", jpeg_file({.progressive = true})},
      {"progressive grey", jpeg_file({JCS_GRAYSCALE, JCS_GRAYSCALE, 1, true})},
      {"arithmetic", jpeg_file({.arithmetic = true})},
      {"restarts", jpeg_file({.restart_rows = 1})},
      {"by OpenCV", encode(".jpg", samples(kWide, kHigh, 3))}};
  for (std::uint8_t orientation = 0; orientation <= 9; ++orientation) {
    files.push_back({"orientation " + std::to_string(orientation),
                     with_orientation(jpeg_file({}), orientation)});
  }
  return files;
}

struct PngForm {
  int kind = PNG_COLOR_TYPE_RGB;
  int bits = 8;
  int interlace = PNG_INTERLACE_NONE;
  bool transparent = false;  // a tRNS chunk
  double gamma = 0;          // a gAMA chunk
  int orientation = 0;       // an eXIf chunk
  int texts = 0;             // zTXt chunks, each of 8 MB decompressed
};

void append_png(png_structp png, png_bytep data, std::size_t size) {
  auto& bytes = *static_cast<Bytes*>(png_get_io_ptr(png));
  bytes.insert(bytes.end(), data, data + size);
}

Bytes png_file(const PngForm& form) {
  constexpr int kWidePx = 37;
  constexpr int kHighPx = 29;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  Bytes bytes;
  png_set_write_fn(png, &bytes, append_png, nullptr);
  png_set_IHDR(png, info, kWidePx, kHighPx, form.bits, form.kind, form.interlace,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  const bool palette = form.kind == PNG_COLOR_TYPE_PALETTE;
  std::vector<png_color> colours(std::size_t{1} << (palette ? form.bits : 0));
  for (std::size_t i = 0; i < colours.size(); ++i) {
    colours[i] = {png_byte(i * 91), png_byte(i * 57 + 3), png_byte(255 - i)};
  }
  if (palette) png_set_PLTE(png, info, colours.data(), static_cast<int>(colours.size()));
  const std::array<png_byte, 2> shares = {0, 100};
  const auto level = static_cast<png_uint_16>(form.bits == 16 ? 0x8080 : form.bits == 8 ? 128 : 1);
  const png_color_16 clear = {0, level, level, level, level};
  if (form.transparent) png_set_tRNS(png, info, palette ? shares.data() : nullptr, 2, &clear);
  if (form.gamma > 0) png_set_gAMA(png, info, form.gamma);
  std::string content(8'000'000, 'a');
  std::string key = "key";
  png_text text{};
  text.compression = PNG_TEXT_COMPRESSION_zTXt;
  text.key = key.data();
  text.text = content.data();
  text.text_length = content.size();
  for (int i = 0; i < form.texts; ++i) png_set_text(png, info, &text, 1);
  std::array<png_byte, 26> exif = {
      'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, png_byte(form.orientation)};
  if (form.orientation > 0) png_set_eXIf_1(png, info, exif.size(), exif.data());
  png_write_info(png, info);
  // More samples than any form needs, so that every bit comes from the picture.
  cv::Mat image = samples(kWidePx * 2, kHighPx, 4);
  if (form.kind == PNG_COLOR_TYPE_GRAY && form.transparent) image.colRange(0, 4).setTo(128);
  std::vector<png_bytep> rows;
  for (int y = 0; y < kHighPx; ++y) rows.push_back(image.ptr(y));
  png_write_image(png, rows.data());
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return bytes;
}

std::vector<NamedFile> png_files() {
  std::vector<NamedFile> files;
  for (const int kind : {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_PALETTE,
                         PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB_ALPHA}) {
    for (const int bits : {1, 2, 4, 8, 16}) {
      const bool few = kind == PNG_COLOR_TYPE_GRAY || kind == PNG_COLOR_TYPE_PALETTE;
      if ((bits < 8 && !few) || (bits == 16 && kind == PNG_COLOR_TYPE_PALETTE)) continue;
      for (const int interlace : {PNG_INTERLACE_NONE, PNG_INTERLACE_ADAM7}) {
        for (const bool transparent : {false, true}) {
          if (transparent && (kind & PNG_COLOR_MASK_ALPHA) != 0) continue;
          files.push_back({"kind " + std::to_string(kind) + ", bits " + std::to_string(bits) +
                               ", interlace " + std::to_string(interlace) +
                               (transparent ? ", transparent" : ""),
                           png_file({kind, bits, interlace, transparent})});
        }
      }
    }
  }
  files.push_back({"by OpenCV", encode(".png", samples(kWide, kHigh, 3))});
  for (const int orientation : {1, 3, 6, 8}) {
    files.push_back(
        {"orientation " + std::to_string(orientation), png_file({.orientation = orientation})});
  }
  for (const auto& [name, bytes] : transparent_files()) {
    if (name.starts_with("PNG")) files.push_back({name, bytes});
  }
  return files;
}

cv::Mat by_opencv(const Bytes& file, PixelMode mode, int divisor = 1) {
  using Flags = std::map<int, int>;
  if (mode == PixelMode::kAsStored) return cv::imdecode(file, cv::IMREAD_LOAD_GDAL);
  static const Flags gray = {{1, cv::IMREAD_GRAYSCALE},
                             {2, cv::IMREAD_REDUCED_GRAYSCALE_2},
                             {4, cv::IMREAD_REDUCED_GRAYSCALE_4},
                             {8, cv::IMREAD_REDUCED_GRAYSCALE_8}};
  static const Flags colour = {{1, cv::IMREAD_COLOR},
                               {2, cv::IMREAD_REDUCED_COLOR_2},
                               {4, cv::IMREAD_REDUCED_COLOR_4},
                               {8, cv::IMREAD_REDUCED_COLOR_8}};
  return cv::imdecode(file, (mode == PixelMode::kGray ? gray : colour).at(divisor));
}

std::string problem_of_jpeg(const Bytes& file) {
  std::string problem;
  EXPECT_TRUE(read_jpeg(file, PixelMode::kGray, 1, problem).empty());
  return problem;
}

cv::Mat jpeg_pixels(const Bytes& file, PixelMode mode, int divisor = 1) {
  std::string problem;
  cv::Mat image = read_jpeg(file, mode, divisor, problem);
  EXPECT_EQ(problem, "");
  return image;
}

// Reads a file that libjpeg warns of.
cv::Mat damaged_jpeg_pixels(const Bytes& file, PixelMode mode) {
  std::string problem;
  cv::Mat image = read_jpeg(file, mode, 1, problem);
  EXPECT_THAT(problem, testing::StartsWith("libjpeg: "));
  return image;
}

cv::Mat png_pixels(const Bytes& file, PixelMode mode) {
  std::string problem;
  cv::Mat image = read_png(file, mode, problem);
  EXPECT_EQ(problem, "");
  return image;
}

// Expects equal type, size and values, and some pixels.
void expect_same(const cv::Mat& read, const cv::Mat& expected) {
  ASSERT_FALSE(expected.empty()) << "OpenCV cannot read it";
  ASSERT_EQ(read.type(), expected.type());
  ASSERT_EQ(read.size(), expected.size());
  EXPECT_EQ(cv::norm(read, expected, cv::NORM_INF), 0);
}

TEST(JpegReader, GivesThePixelsOfOpenCv) {
  for (const NamedFile& file : jpeg_files()) {
    for (const PixelMode mode : {PixelMode::kGray, PixelMode::kColour}) {
      for (const int divisor : {1, 2, 4, 8}) {
        SCOPED_TRACE(file.name + ", divisor " + std::to_string(divisor));
        expect_same(jpeg_pixels(file.bytes, mode, divisor), by_opencv(file.bytes, mode, divisor));
      }
    }
  }
}

TEST(JpegReader, GivesThePixelsOfOpenCvAtEverySize) {
  for (int side = 1; side <= 34; ++side) {
    const Bytes file = jpeg_file({}, side, 35 - side);
    SCOPED_TRACE(side);
    expect_same(jpeg_pixels(file, PixelMode::kColour), by_opencv(file, PixelMode::kColour));
  }
}

TEST(JpegReader, CmykHasThePixelsOfOpenCv) {
  for (const J_COLOR_SPACE stored : {JCS_CMYK, JCS_YCCK}) {
    const Bytes file = jpeg_file({.from = JCS_CMYK, .stored = stored, .sampling = 1});
    for (const int divisor : {1, 4}) {
      expect_same(jpeg_pixels(file, PixelMode::kColour, divisor),
                  by_opencv(file, PixelMode::kColour, divisor));
      const cv::Mat gray = jpeg_pixels(file, PixelMode::kGray, divisor);
      EXPECT_LE(cv::norm(gray, by_opencv(file, PixelMode::kGray, divisor), cv::NORM_INF), 1);
    }
  }
}

TEST(JpegReader, DamagedFilesHaveThePixelsOfOpenCv) {
  for (const bool progressive : {false, true}) {
    Bytes file = jpeg_file({.progressive = progressive, .restart_rows = 1}, 400, 300);
    const Bytes start_of_scan = {0xff, 0xda};
    const auto scan = std::ranges::search(file, start_of_scan).begin() - file.begin();
    for (auto at = static_cast<std::size_t>(scan) + 40; at + 2 < file.size(); at += 997) {
      if (file[at] != 0xff && file[at - 1] != 0xff && file[at] != 0xf7) file[at] ^= 8U;
    }
    expect_same(damaged_jpeg_pixels(file, PixelMode::kColour), by_opencv(file, PixelMode::kColour));
  }
}

TEST(JpegReader, OrientationIsInTheFirstSegmentOfExif) {
  const Bytes turned = with_orientation(jpeg_file({}), 6);
  Bytes file = turned;
  const std::string other = std::string("\xff\xe1\x00\x10", 4) + "http://ns.abc/";
  file.insert(file.begin() + 2, other.begin(), other.end());
  expect_same(jpeg_pixels(file, PixelMode::kGray), jpeg_pixels(turned, PixelMode::kGray));
}

TEST(JpegReader, AnEndMarkerIsAllThatMayBeMissing) {
  const std::vector<NamedFile> files = {
      {"grey", jpeg_file({JCS_GRAYSCALE, JCS_GRAYSCALE, 1})},
      {"colour", jpeg_file({})},
      {"progressive", jpeg_file({.progressive = true})},
      {"progressive grey", jpeg_file({JCS_GRAYSCALE, JCS_GRAYSCALE, 1, true})},
      {"restarts", jpeg_file({.restart_rows = 1})},
      {"a scan per component", jpeg_file({.scan_per_component = true})}};
  for (const NamedFile& file : files) {
    SCOPED_TRACE(file.name);
    const Bytes unended(file.bytes.begin(), file.bytes.end() - 2);
    EXPECT_FALSE(ends_early(unended));
    for (const int divisor : {1, 8}) {
      expect_same(jpeg_pixels(unended, PixelMode::kGray, divisor),
                  jpeg_pixels(file.bytes, PixelMode::kGray, divisor));
    }
    for (std::size_t size = 20; size < unended.size(); ++size) {
      const Bytes cut(unended.begin(), unended.begin() + static_cast<std::ptrdiff_t>(size));
      if (ends_early(cut)) continue;
      EXPECT_NE(problem_of_jpeg(cut), "") << "cut to " << size;
    }
    // The space of the rest may have been taken already.
    Bytes padded(unended.begin(), unended.end() - 90);
    padded.resize(file.bytes.size());
    EXPECT_TRUE(ends_early(padded) || problem_of_jpeg(padded) == kEndsEarly);
  }
  const Bytes arithmetic = jpeg_file({.arithmetic = true});
  EXPECT_TRUE(ends_early(std::span(arithmetic).first(arithmetic.size() - 2)));
}

// libjpeg walks the list of segments that it keeps whenever it adds one.
TEST(JpegReader, ManySegmentsCostTheirBytesAlone) {
  const Bytes whole = jpeg_file({});
  Bytes file = whole;
  Bytes segments;
  for (int i = 0; i < 200'000; ++i) segments.insert(segments.end(), {0xff, 0xe1, 0, 2});
  file.insert(file.begin() + 2, segments.begin(), segments.end());
  const std::clock_t before = std::clock();
  expect_same(jpeg_pixels(file, PixelMode::kGray), jpeg_pixels(whole, PixelMode::kGray));
  EXPECT_LT(double(std::clock() - before) / CLOCKS_PER_SEC, 1);
}

TEST(LinkedReaders, StopWhenTheTimeIsOver) {
  const WorkLimits over(WorkLimits::Clock::now());
  const LimitedWork limited(&over);
  std::string problem;
  EXPECT_THROW(read_jpeg(jpeg_file({}), PixelMode::kGray, 1, problem), Overdue);
  EXPECT_THROW(read_png(png_file({}), PixelMode::kGray, problem), Overdue);
}

TEST(JpegReader, SaysWhatIsWrong) {
  Bytes file = jpeg_file({});
  const auto table = std::ranges::search(file, Bytes{0xff, 0xc0});
  table.front() = 0xff;
  *(table.begin() + 1) = 0xc5;  // a frame that libjpeg does not support
  EXPECT_THAT(problem_of_jpeg(file), testing::StartsWith("libjpeg: "));
}

// Repeats the last scan of a progressive file, which refines coefficients that may be refined again
// at no cost in bytes.
Bytes with_scans(int scans) {
  const Bytes whole = jpeg_file({JCS_GRAYSCALE, JCS_GRAYSCALE, 1, true});
  const Bytes start_of_scan = {0xff, 0xda};
  const auto last = std::ranges::find_end(whole, start_of_scan).begin();
  const Bytes scan(last, whole.end() - 2);
  Bytes file(whole.begin(), whole.end() - 2);
  for (int i = 0; i < scans; ++i) file.insert(file.end(), scan.begin(), scan.end());
  file.insert(file.end(), {0xff, 0xd9});
  return file;
}

TEST(JpegReader, StopsAfterMoreScansThanEncodersWrite) {
  EXPECT_FALSE(damaged_jpeg_pixels(with_scans(80), PixelMode::kGray).empty());
  EXPECT_EQ(problem_of_jpeg(with_scans(200)), "libjpeg: more than 100 scans");
}

TEST(PngReader, GivesThePixelsOfOpenCv) {
  for (const NamedFile& file : png_files()) {
    for (const PixelMode mode : {PixelMode::kGray, PixelMode::kColour, PixelMode::kAsStored}) {
      SCOPED_TRACE(file.name + ", mode " + std::to_string(static_cast<int>(mode)));
      expect_same(png_pixels(file.bytes, mode), by_opencv(file.bytes, mode));
    }
  }
}

TEST(PngReader, TakesValuesAsTheyAreEncoded) {
  for (const PixelMode mode : {PixelMode::kGray, PixelMode::kColour}) {
    expect_same(png_pixels(png_file({.gamma = 0.3}), mode), png_pixels(png_file({}), mode));
  }
}

TEST(PngReader, WhatFollowsThePixelsMayBeMissingOrDamaged) {
  constexpr std::size_t kEnd = 12;  // the last chunk
  // The checksums of the pixels and of their chunk, and the mark behind the compressed data.
  constexpr std::size_t kMarks = 12;
  for (const int interlace : {PNG_INTERLACE_NONE, PNG_INTERLACE_ADAM7}) {
    const Bytes whole = png_file({.interlace = interlace});
    const cv::Mat expected = png_pixels(whole, PixelMode::kColour);
    std::string problem;
    for (std::size_t missing = 1; missing < whole.size(); ++missing) {
      const Bytes cut(whole.begin(), whole.end() - static_cast<std::ptrdiff_t>(missing));
      const cv::Mat read = read_png(cut, PixelMode::kColour, problem);
      if (missing <= kEnd + 4) {
        expect_same(read, expected);
      } else if (missing > kEnd + kMarks) {
        EXPECT_TRUE(read.empty()) << missing;
        EXPECT_EQ(problem, kEndsEarly) << missing;
      } else if (!read.empty()) {
        expect_same(read, expected);
      }
    }
    Bytes padded(whole.begin(), whole.end() - kEnd);
    padded.resize(whole.size());
    expect_same(read_png(padded, PixelMode::kColour, problem), expected);
    for (const std::size_t place : {whole.size() / 2, whole.size() - kEnd - 1}) {
      Bytes flipped = whole;
      flipped[place] ^= 1U;
      EXPECT_TRUE(read_png(flipped, PixelMode::kColour, problem).empty());
      EXPECT_THAT(problem, testing::StartsWith("libpng: "));
    }
  }
}

TEST(PngReader, SkipsText) {
  const Bytes file = png_file({.texts = 10});  // a second's work to decompress
  const std::clock_t before = std::clock();
  expect_same(png_pixels(file, PixelMode::kColour), png_pixels(png_file({}), PixelMode::kColour));
  EXPECT_LT(double(std::clock() - before) / CLOCKS_PER_SEC, 0.2);
}

}  // namespace
}  // namespace lookalike
