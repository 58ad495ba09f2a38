#include "stages/decode/readers.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <jpeglib.h>
#include <png.h>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  const png_color_16 key = {0, level, level, level, level};
  if (form.transparent) png_set_tRNS(png, info, palette ? shares.data() : nullptr, 2, &key);
  if (form.gamma > 0) png_set_gAMA(png, info, form.gamma);
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
  files.push_back({"gamma", png_file({.gamma = 0.3})});
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
        expect_same(read_jpeg(file.bytes, mode, divisor),
                    opencv_reader().read(file.bytes, mode, divisor));
      }
    }
  }
}

TEST(JpegReader, GivesThePixelsOfOpenCvAtEverySize) {
  for (int side = 1; side <= 34; ++side) {
    const Bytes file = jpeg_file({}, side, 35 - side);
    SCOPED_TRACE(side);
    expect_same(read_jpeg(file, PixelMode::kColour, 1),
                opencv_reader().read(file, PixelMode::kColour, 1));
  }
}

TEST(JpegReader, LeavesCmykToOpenCv) {
  for (const J_COLOR_SPACE stored : {JCS_CMYK, JCS_YCCK}) {
    const Bytes file = jpeg_file({.from = JCS_CMYK, .stored = stored, .sampling = 1});
    EXPECT_TRUE(read_jpeg(file, PixelMode::kColour, 1).empty());
    LoadedFile loaded;
    loaded.bytes = file;
    const auto pixels = decode_pixels(loaded, *read_image_header(file), PixelMode::kGray);
    expect_same(std::get<ShownPixels>(pixels).pixels,
                opencv_reader().read(file, PixelMode::kGray, 1));
  }
}

// A reader that continued would make up pixels.
TEST(JpegReader, LeavesDamageToOpenCv) {
  for (const bool progressive : {false, true}) {
    const Bytes whole = jpeg_file({.progressive = progressive, .restart_rows = 1});
    for (std::size_t size = 0; size + 2 < whole.size(); size += 7) {
      const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_TRUE(read_jpeg(cut, PixelMode::kGray, 1).empty()) << size;
    }
  }
}

TEST(PngReader, GivesThePixelsOfOpenCv) {
  for (const NamedFile& file : png_files()) {
    for (const PixelMode mode : {PixelMode::kGray, PixelMode::kColour, PixelMode::kAsStored}) {
      SCOPED_TRACE(file.name + ", mode " + std::to_string(static_cast<int>(mode)));
      expect_same(read_png(file.bytes, mode), opencv_reader().read(file.bytes, mode, 1));
    }
  }
}

TEST(PngReader, LeavesDamageToOpenCv) {
  const Bytes whole = png_file({.interlace = PNG_INTERLACE_ADAM7});
  for (std::size_t size = 0; size + 12 < whole.size(); size += 7) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_TRUE(read_png(cut, PixelMode::kColour).empty()) << size;
  }
  Bytes flipped = whole;
  flipped[whole.size() / 2] ^= 1U;
  EXPECT_TRUE(read_png(flipped, PixelMode::kColour).empty());
}

}  // namespace
}  // namespace lookalike
