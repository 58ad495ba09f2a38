// One picture in every container: its pixels are the same. Each case is a cell of the table in
// docs/formats.md.

#include <bit>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "stages/decode/pixels.h"
#include "stages/decode/tiff.h"
#include "tests/fixtures/image_files.h"
#include "tests/stages/decode/tiff_bytes.h"
#include "tests/stages/pictures.h"
#include "tests/stages/png_bytes.h"

// Named, since other tests have functions of the same names and may be compiled together with this.
namespace lookalike::containers {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr int kWide = 96;
constexpr int kHigh = 64;
constexpr double kLeastCorrelation = 0.99;

// What OpenCV 4.6 makes of a file when asked for 8 bits in colour.
enum class ByOpenCv { kRight, kWrong, kUnread };

struct Container {
  std::string name;
  std::function<Bytes(const cv::Mat&)> make;  // of CV_8UC3
  ByOpenCv by_opencv = ByOpenCv::kRight;
  bool is_grey = false;
  bool is_transparent = false;  // where transparent_part() says
  double least_correlation = kLeastCorrelation;
};

void append(Bytes& to, const Bytes& more) {
  to.insert(to.end(), more.begin(), more.end());
}

Bytes ascii(const std::string& text) {
  return {text.begin(), text.end()};
}

// Draws in colours that chroma subsampling keeps.
cv::Mat picture() {
  cv::Mat drawn;
  cv::cvtColor(draw_picture(kWide, kHigh, 5), drawn, cv::COLOR_GRAY2BGR);
  for (int y = 0; y < kHigh; ++y) {
    for (int x = 0; x < kWide; ++x) {
      cv::Vec3b& pixel = drawn.at<cv::Vec3b>(y, x);
      const cv::Vec3i colour(x * 255 / kWide, y * 255 / kHigh, 255 - x * 200 / kWide);
      for (int i = 0; i < 3; ++i) pixel[i] = static_cast<std::uint8_t>((pixel[i] + colour[i]) / 2);
    }
  }
  return drawn;
}

cv::Mat gray_of(const cv::Mat& bgr) {
  cv::Mat gray;
  cv::cvtColor(bgr, gray, cv::COLOR_BGR2GRAY);
  return gray;
}

cv::Rect transparent_part() {
  return {0, 0, kWide / 3, kHigh};
}

// Returns the picture with an alpha channel.
cv::Mat cut_out(const cv::Mat& bgr) {
  cv::Mat bgra;
  cv::cvtColor(bgr, bgra, cv::COLOR_BGR2BGRA);
  bgra(transparent_part()).setTo(cv::Scalar(0, 0, 0, 0));
  return bgra;
}

// Returns the picture as it is stored under an orientation.
cv::Mat stored(const cv::Mat& shown, int orientation) {
  const int back = orientation == 6 ? 8 : orientation == 8 ? 6 : orientation;
  return upright(shown.clone(), back).clone();
}

Bytes exif_data(int orientation) {
  return {'M',  'M',  0, 42, 0, 0, 0, 8, 0, 1,
          0x01, 0x12, 0, 3,  0, 0, 0, 1, 0, static_cast<std::uint8_t>(orientation),
          0,    0,    0, 0,  0, 0};
}

Bytes inserted(const Bytes& file, std::size_t at, const Bytes& part) {
  Bytes result = file;
  result.insert(result.begin() + static_cast<std::ptrdiff_t>(at), part.begin(), part.end());
  return result;
}

Bytes riff_chunk(const std::string& type, const Bytes& data) {
  Bytes chunk = ascii(type);
  put_number(chunk, false, data.size(), 4);
  append(chunk, data);
  chunk.resize(chunk.size() + data.size() % 2);
  return chunk;
}

// Returns the WebP file with EXIF behind its pixels; one of a simple form becomes an extended one.
Bytes webp_with_exif(Bytes webp, const cv::Size& size, int orientation) {
  constexpr std::size_t kFirstChunk = 12;
  constexpr std::uint8_t kHasExif = 0x08;
  if (webp[kFirstChunk + 3] != 'X') {
    Bytes canvas = {0, 0, 0, 0};
    put_number(canvas, false, static_cast<std::uint64_t>(size.width - 1), 3);
    put_number(canvas, false, static_cast<std::uint64_t>(size.height - 1), 3);
    webp = inserted(webp, kFirstChunk, riff_chunk("VP8X", canvas));
  }
  webp[kFirstChunk + 8] |= kHasExif;
  append(webp, riff_chunk("EXIF", exif_data(orientation)));
  Bytes length;
  put_number(length, false, webp.size() - 8, 4);
  std::ranges::copy(length, webp.begin() + 4);
  return webp;
}

// Returns the JPEG 2000 file with EXIF in a box before its codestream.
Bytes jp2_with_exif(const Bytes& jp2, int orientation) {
  const Bytes mark = ascii("jp2c");
  const auto at = static_cast<std::size_t>(std::ranges::search(jp2, mark).begin() - jp2.begin());
  Bytes content = ascii("JpgTiffExif->JP2");
  append(content, exif_data(orientation));
  Bytes box;
  put_big_endian(box, static_cast<std::uint32_t>(content.size() + 8));
  append(box, ascii("uuid"));
  append(box, content);
  return inserted(jp2, at - 4, box);
}

// Returns the samples of a picture, in RGB or grey, each by `put`.
Bytes samples_of(const cv::Mat& bgr, int channels,
                 const std::function<void(Bytes&, std::uint8_t)>& put) {
  cv::Mat rgb;
  cv::cvtColor(bgr, rgb, channels == 1 ? cv::COLOR_BGR2GRAY : cv::COLOR_BGR2RGB);
  Bytes bytes;
  for (int y = 0; y < rgb.rows; ++y) {
    for (int x = 0; x < rgb.cols * channels; ++x) put(bytes, rgb.ptr(y)[x]);
  }
  return bytes;
}

Bytes tiff_of(TiffForm form, const cv::Mat& bgr,
              const std::function<void(Bytes&, std::uint8_t)>& put) {
  form.colour_space = form.samples == 1 ? 1 : 2;
  return tiff_file(form, static_cast<std::uint32_t>(bgr.cols), static_cast<std::uint32_t>(bgr.rows),
                   {samples_of(bgr, form.samples, put)});
}

void put_byte(Bytes& to, std::uint8_t level) {
  to.push_back(level);
}

template <bool kBigEndian = false>
void put_float(Bytes& to, std::uint8_t level) {
  put_number(to, kBigEndian, std::bit_cast<std::uint32_t>(static_cast<float>(level) / 255), 4);
}

void put_large_float(Bytes& to, std::uint8_t level) {
  put_number(to, false, std::bit_cast<std::uint32_t>(static_cast<float>(level) * 90 - 700), 4);
}

void put_double(Bytes& to, std::uint8_t level) {
  put_number(to, false, std::bit_cast<std::uint64_t>(level / 255.0), 8);
}

void put_signed(Bytes& to, std::uint8_t level) {
  put_number(to, false, static_cast<std::uint16_t>(level * 200 - 25'000), 2);
}

template <int kMaximum, bool kBigEndian = false>
void put_share(Bytes& to, std::uint8_t level) {
  put_number(to, kBigEndian, static_cast<std::uint64_t>(level * kMaximum / 255),
             kMaximum > 255 ? 2 : 1);
}

// Returns samples of 12 bits without gaps; rows are whole bytes.
Bytes packed_to_12(const cv::Mat& bgr) {
  const cv::Mat gray = gray_of(bgr);
  Bytes bytes;
  for (int i = 0; i + 1 < kWide * kHigh; i += 2) {
    const int first = gray.data[i] * 4095 / 255;
    const int second = gray.data[i + 1] * 4095 / 255;
    put_number(bytes, true, static_cast<std::uint64_t>(first << 12 | second), 3);
  }
  return bytes;
}

Bytes pnm_of(const cv::Mat& bgr, int channels, int maximum,
             const std::function<void(Bytes&, std::uint8_t)>& put) {
  Bytes file =
      ascii("P" + std::to_string(channels == 1 ? 5 : 6) + "\n# drawn\n" + std::to_string(bgr.cols) +
            " " + std::to_string(bgr.rows) + "\n" + std::to_string(maximum) + "\n");
  append(file, samples_of(bgr, channels, put));
  return file;
}

Bytes pnm_text_of(const cv::Mat& bgr, int channels, int maximum) {
  Bytes file = ascii("P" + std::to_string(channels == 1 ? 2 : 3) + " " + std::to_string(bgr.cols) +
                     " " + std::to_string(bgr.rows) + " " + std::to_string(maximum) + "\n");
  append(file, samples_of(bgr, channels, [&](Bytes& to, std::uint8_t level) {
           append(to, ascii(std::to_string(level * maximum / 255) + "\n"));
         }));
  return file;
}

// Returns PBM of a picture in black and white.
Bytes bitmap_of(const cv::Mat& bgr, bool is_text) {
  Bytes file = ascii((is_text ? "P1\n" : "P4\n") + std::to_string(bgr.cols) + " " +
                     std::to_string(bgr.rows) + "\n");
  const cv::Mat gray = gray_of(bgr);
  for (int y = 0; y < gray.rows; ++y) {
    for (int x = 0; x < gray.cols; ++x) {
      const bool is_black = gray.at<std::uint8_t>(y, x) < 128;
      if (is_text) {
        file.push_back(is_black ? '1' : '0');
      } else if (x % 8 == 0) {
        file.push_back(is_black ? 0x80 : 0);
      } else if (is_black) {
        file.back() |= static_cast<std::uint8_t>(0x80 >> x % 8);
      }
    }
  }
  return file;
}

cv::Mat deep(const cv::Mat& image) {
  cv::Mat result;
  image.convertTo(result, CV_16U, 257);
  return result;
}

void add_orientations(std::vector<Container>& cells) {
  constexpr auto kWrong = ByOpenCv::kWrong;
  constexpr auto kUnread = ByOpenCv::kUnread;
  constexpr std::size_t kPngHeader = 33;
  const auto png_exif = [](int turn) { return png_chunk("eXIf", exif_data(turn)); };
  for (int turn = 1; turn <= 8; ++turn) {
    const auto add = [&](const std::string& format, ByOpenCv by_opencv, auto make) {
      cells.push_back(
          {.name = format + "_orientation_" + std::to_string(turn),
           .make = [=](const cv::Mat& shown) { return make(stored(shown, turn)); },
           .by_opencv = turn == 1 && by_opencv == kWrong ? ByOpenCv::kRight : by_opencv});
    };
    add("JPEG", ByOpenCv::kRight, [=](const cv::Mat& image) {
      return with_orientation(encode(".jpg", image), static_cast<std::uint8_t>(turn));
    });
    add("PNG", ByOpenCv::kRight, [=](const cv::Mat& image) {
      return inserted(encode(".png", image), kPngHeader, png_exif(turn));
    });
    add("PNG_behind_pixels", kWrong, [=](const cv::Mat& image) {
      const Bytes png = encode(".png", image);
      return inserted(png, png.size() - 12, png_exif(turn));
    });
    add("WebP", kWrong, [=](const cv::Mat& image) {
      return webp_with_exif(encode(".webp", image), image.size(), turn);
    });
    add("JPEG_2000", kWrong,
        [=](const cv::Mat& image) { return jp2_with_exif(encode(".jp2", image), turn); });
    for (const bool big : {false, true}) {
      TiffForm form{.big = big, .samples = 3, .orientation = static_cast<std::uint16_t>(turn)};
      add(big ? "BigTIFF" : "TIFF", ByOpenCv::kRight,
          [=](const cv::Mat& image) { return tiff_of(form, image, put_byte); });
      form.bits = 32;
      form.kind = 3;
      add(big ? "BigTIFF_of_floats" : "TIFF_of_floats", kUnread,
          [=](const cv::Mat& image) { return tiff_of(form, image, put_float<>); });
    }
    if (is_built(ReaderModule::kWebp)) {
      add("animated_WebP", kUnread, [=](const cv::Mat& image) {
        return webp_with_exif(make_animated_webp(image), image.size(), turn);
      });
    }
    for (const bool av1 : {false, true}) {
      if (!can_make_heif(av1)) continue;
      cells.push_back(
          {.name = (av1 ? "AVIF_orientation_" : "HEIC_orientation_") + std::to_string(turn),
           .make =
               [=](const cv::Mat& shown) {
                 return make_heif(stored(shown, turn), {.av1 = av1, .orientation = turn});
               },
           .by_opencv = kUnread});
    }
    add("RAW", kUnread, [=](const cv::Mat& image) { return make_raw(image, RawForm::kDng, turn); });
  }
}

void add_depths(std::vector<Container>& cells) {
  constexpr auto kWrong = ByOpenCv::kWrong;
  constexpr auto kUnread = ByOpenCv::kUnread;
  for (const std::string ending : {".png", ".tiff", ".jp2"}) {
    cells.push_back({ending.substr(1) + "_16_bits",
                     [=](const cv::Mat& image) { return encode(ending, deep(image)); }});
  }
  const auto add_tiff = [&](const std::string& name, const TiffForm& form, auto put,
                            ByOpenCv by_opencv) {
    cells.push_back({.name = "TIFF_" + name,
                     .make = [=](const cv::Mat& image) { return tiff_of(form, image, put); },
                     .by_opencv = by_opencv,
                     .is_grey = form.samples == 1});
  };
  add_tiff("floats_in_colour", {.bits = 32, .kind = 3, .samples = 3}, put_float<>, kUnread);
  add_tiff("floats_big_endian", {.big_endian = true, .bits = 32, .kind = 3, .samples = 3},
           put_float<true>, kUnread);
  add_tiff("floats_in_grey", {.bits = 32, .kind = 3}, put_float<>, kUnread);
  add_tiff("floats_of_another_range", {.bits = 32, .kind = 3}, put_large_float, kUnread);
  add_tiff("doubles", {.bits = 64, .kind = 3}, put_double, kUnread);
  add_tiff("signed", {.bits = 16, .kind = 2}, put_signed, kWrong);
  add_tiff("12_bits_in_16", {.bits = 16, .maximum = 4095}, put_share<4095>, kWrong);
  add_tiff("10_bits_in_16", {.bits = 16, .samples = 3, .maximum = 1023}, put_share<1023>, kWrong);
  add_tiff("maximum_as_a_statistic", {.bits = 16, .maximum = 60'000}, put_share<65535>,
           ByOpenCv::kRight);
  cells.push_back({.name = "TIFF_12_bits",
                   .make =
                       [](const cv::Mat& image) {
                         return tiff_file({.bits = 12}, kWide, kHigh, {packed_to_12(image)});
                       },
                   .by_opencv = kUnread,
                   .is_grey = true});
  cells.push_back({.name = "TIFF_floats_white_is_zero",
                   .make =
                       [](const cv::Mat& image) {
                         const cv::Mat inverted = cv::Scalar::all(255) - image;
                         return tiff_file({.bits = 32, .kind = 3, .colour_space = 0}, kWide, kHigh,
                                          {samples_of(inverted, 1, put_float<>)});
                       },
                   .by_opencv = kUnread,
                   .is_grey = true});
}

void add_maxima_of_pnm(std::vector<Container>& cells) {
  constexpr auto kWrong = ByOpenCv::kWrong;
  const auto add_pnm = [&](int channels, int maximum, auto put, ByOpenCv by_opencv) {
    const std::string name = (channels == 1 ? "PGM_" : "PPM_") + std::to_string(maximum);
    cells.push_back(
        {.name = name,
         .make = [=](const cv::Mat& image) { return pnm_of(image, channels, maximum, put); },
         .by_opencv = by_opencv,
         .is_grey = channels == 1});
    cells.push_back(
        {.name = name + "_as_text",
         .make = [=](const cv::Mat& image) { return pnm_text_of(image, channels, maximum); },
         .by_opencv = by_opencv,
         .is_grey = channels == 1});
  };
  for (const int channels : {1, 3}) {
    add_pnm(channels, 100, put_share<100, true>, ByOpenCv::kRight);
    add_pnm(channels, 255, put_share<255, true>, ByOpenCv::kRight);
    add_pnm(channels, 500, put_share<500, true>, kWrong);
    add_pnm(channels, 1023, put_share<1023, true>, kWrong);
    add_pnm(channels, 65535, put_share<65535, true>, ByOpenCv::kRight);
  }
}

void add_gammas(std::vector<Container>& cells) {
  constexpr std::size_t kPngHeader = 33;
  const auto add_png = [&](const std::string& name, const Bytes& chunk) {
    cells.push_back({.name = "PNG_" + name,
                     .make =
                         [=](const cv::Mat& image) {
                           return inserted(encode(".png", image), kPngHeader, chunk);
                         },
                     .by_opencv = ByOpenCv::kRight});  // in colour; its grey is of linear light
  };
  add_png("gAMA", png_chunk("gAMA", {0, 0, 0xb1, 0x8f}));
  add_png("sRGB", png_chunk("sRGB", {0}));
  for (const std::string ending : {".jpg", ".png", ".webp", ".tiff", ".bmp", ".ppm", ".jp2"}) {
    cells.push_back(
        {"plain_" + ending.substr(1), [=](const cv::Mat& image) { return encode(ending, image); }});
  }
}

void add_alphas(std::vector<Container>& cells) {
  const auto add = [&](const std::string& name, ByOpenCv by_opencv, auto make) {
    cells.push_back({.name = name + "_alpha",
                     .make = [=](const cv::Mat& image) { return make(cut_out(image)); },
                     .by_opencv = by_opencv,
                     .is_transparent = true});
  };
  for (const std::string ending : {".png", ".webp", ".tiff"}) {
    add(ending.substr(1), ByOpenCv::kRight,
        [=](const cv::Mat& image) { return encode(ending, image); });
  }
  add("PNG_16_bits", ByOpenCv::kRight,
      [](const cv::Mat& image) { return encode(".png", deep(image)); });
  if (is_built(ReaderModule::kGif)) {
    add("GIF", ByOpenCv::kUnread, [](const cv::Mat& image) { return make_gif(image); });
    cells.back().least_correlation = 0.9;  // of the 252 colours that make_gif() has
  }
  if (is_built(ReaderModule::kWebp)) {
    add("animated_WebP", ByOpenCv::kUnread,
        [](const cv::Mat& image) { return make_animated_webp(image); });
  }
  for (const bool av1 : {false, true}) {
    if (!can_make_heif(av1)) continue;
    add(av1 ? "AVIF" : "HEIC", ByOpenCv::kUnread,
        [=](const cv::Mat& image) { return make_heif(image, {.av1 = av1}); });
  }
}

// The second page of a file, and the first of several frames.
void add_pages_and_frames(std::vector<Container>& cells) {
  for (const bool big : {false, true}) {
    for (const bool big_endian : {false, true}) {
      cells.push_back({.name = std::string(big ? "BigTIFF" : "TIFF") +
                               (big_endian ? "_MM" : "_II") + "_second_page",
                       .make = [=](const cv::Mat& image) {
                         const TiffForm form{
                             .big = big, .big_endian = big_endian, .colour_space = 2, .samples = 3};
                         const cv::Mat other = 255 - image;
                         Bytes file = tiff_file(
                             form, kWide, kHigh,
                             {samples_of(other, 3, put_byte), samples_of(image, 3, put_byte)});
                         make_first_page(file, tiff_pages(file, 9).value().at(1));
                         return file;
                       }});
    }
  }
  if (is_built(ReaderModule::kGif)) {
    cells.push_back({.name = "GIF_first_frame",
                     .make =
                         [](const cv::Mat& image) {
                           return make_gif(cv::min(gray_of(image), 254), {.frames = 3});
                         },
                     .by_opencv = ByOpenCv::kUnread,
                     .is_grey = true});
  }
}

std::vector<Container> all_cells() {
  std::vector<Container> cells;
  add_orientations(cells);
  add_depths(cells);
  add_maxima_of_pnm(cells);
  add_gammas(cells);
  add_alphas(cells);
  add_pages_and_frames(cells);
  return cells;
}

// Returns -1 for pictures of different size or type.
double correlation(const cv::Mat& a, const cv::Mat& b) {
  if (a.size() != b.size() || a.type() != b.type()) return -1;
  cv::Mat result;
  cv::matchTemplate(a, b, result, cv::TM_CCOEFF_NORMED);
  return result.at<float>(0, 0);
}

class Containers : public testing::TestWithParam<Container> {};

TEST_P(Containers, HoldTheSamePicture) {
  const Container& container = GetParam();
  const cv::Mat colour = picture();
  const LoadedFile file = loaded_bytes("picture", container.make(colour));
  const auto header = check_header(file, {});
  ASSERT_TRUE(std::holds_alternative<ImageHeader>(header)) << std::get<SkippedFile>(header).detail;
  for (const PixelMode mode : {PixelMode::kColour, PixelMode::kGray}) {
    const auto read = decode_pixels(file, std::get<ImageHeader>(header), mode);
    ASSERT_TRUE(std::holds_alternative<ShownPixels>(read)) << std::get<SkippedFile>(read).detail;
    const auto& [pixels, alpha, damage] = std::get<ShownPixels>(read);
    cv::Mat expected = mode == PixelMode::kGray || container.is_grey ? gray_of(colour) : colour;
    if (mode == PixelMode::kColour && container.is_grey) {
      cv::cvtColor(expected, expected, cv::COLOR_GRAY2BGR);
    }
    ASSERT_EQ(pixels.size(), expected.size());
    EXPECT_EQ(alpha.empty(), !container.is_transparent);
    if (container.is_transparent && !alpha.empty()) {
      EXPECT_LT(cv::mean(alpha(transparent_part()))[0], 8);
    }
    const cv::Rect opaque = container.is_transparent
                                ? cv::Rect(kWide / 3 + 4, 0, kWide - kWide / 3 - 4, kHigh)
                                : cv::Rect(0, 0, kWide, kHigh);
    EXPECT_GE(correlation(pixels(opaque), expected(opaque)), container.least_correlation)
        << (mode == PixelMode::kGray ? "grey" : "colour");
  }
  // The rest of the table: where OpenCV's own reading may serve as a reference.
  if (container.by_opencv != ByOpenCv::kRight || container.is_transparent) return;
  cv::Mat expected = colour;
  if (container.is_grey) cv::cvtColor(gray_of(colour), expected, cv::COLOR_GRAY2BGR);
  EXPECT_GE(correlation(cv::imdecode(file.bytes, cv::IMREAD_COLOR), expected), kLeastCorrelation);
}

INSTANTIATE_TEST_SUITE_P(Formats, Containers, testing::ValuesIn(all_cells()),
                         [](const auto& container) { return container.param.name; });

// A bitmap has the two levels of its picture.
TEST(Pbm, IsBlackAndWhite) {
  cv::Mat levels = picture();
  levels = (levels > 127) & 255;
  cv::Mat expected;
  cv::threshold(gray_of(levels), expected, 127, 255, cv::THRESH_BINARY);
  for (const bool is_text : {false, true}) {
    const LoadedFile file = loaded_bytes("picture", bitmap_of(levels, is_text));
    const auto header = std::get<ImageHeader>(check_header(file, {}));
    const auto read = std::get<ShownPixels>(decode_pixels(file, header, PixelMode::kGray));
    EXPECT_EQ(cv::norm(read.pixels, expected, cv::NORM_INF), 0) << is_text;
  }
}

TEST(Pnm, ThatLacksPixelsIsRefused) {
  for (const Bytes& whole : {pnm_of(picture(), 3, 255, put_byte), bitmap_of(picture(), false),
                             bitmap_of(picture(), true), pnm_text_of(picture(), 1, 1023)}) {
    const LoadedFile cut = loaded_bytes("cut", Bytes(whole.begin(), whole.end() - 5));
    const auto header = std::get<ImageHeader>(check_header(cut, {}));
    const auto read = decode_pixels(cut, header, PixelMode::kGray);
    ASSERT_TRUE(std::holds_alternative<SkippedFile>(read));
    EXPECT_EQ(std::get<SkippedFile>(read).reason, "undecodable");
  }
}

TEST(Tiff, OfNumbersThatAreNotReadSaysSo) {
  const auto problem = [](const TiffForm& form) {
    const Bytes pixels(std::size_t{kWide} * kHigh * form.samples * form.bits / 8);
    const LoadedFile file = loaded_bytes("numbers", tiff_file(form, kWide, kHigh, {pixels}));
    const auto header = std::get<ImageHeader>(check_header(file, {}));
    const auto read = decode_pixels(file, header, PixelMode::kGray);
    const auto* const skipped = std::get_if<SkippedFile>(&read);
    return skipped == nullptr ? "" : skipped->detail;
  };
  EXPECT_EQ(problem({.bits = 16, .kind = 3}),
            "the image cannot be read, a TIFF file of 1 sample of 16-bit floats: save it with 8 or "
            "16 bits a sample");
  // OpenCV would read the planes as if they were one.
  EXPECT_EQ(problem({.bits = 32, .kind = 3, .colour_space = 2, .samples = 3, .planes = 2}),
            "the image cannot be read, a TIFF file of 3 samples of 32-bit floats: save it with 8 "
            "or 16 bits a sample");
}

}  // namespace
}  // namespace lookalike::containers
