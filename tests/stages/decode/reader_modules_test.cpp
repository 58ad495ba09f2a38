#include <algorithm>
#include <cstdint>
#include <new>
#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stages/decode/decode.h"
#include "stages/decode/heif_size.h"
#include "stages/decode/pixels.h"
#include "stages/decode/raw_preview.h"
#include "stages/decode/readers.h"
#include "tests/address_space_limit.h"
#include "tests/fixtures/image_files.h"
#include "tests/stages/pictures.h"

namespace lookalike {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::variant<ShownPixels, SkippedFile> loaded(const FileBytes& file, PixelMode mode,
                                              const ImagesOptions& limits = {}) {
  LoadedFile bytes;
  bytes.bytes = file;
  auto header = check_header(bytes, limits);
  if (auto* skipped = std::get_if<SkippedFile>(&header)) return std::move(*skipped);
  return decode_pixels(bytes, std::get<ImageHeader>(header), mode);
}

ShownPixels shown(const FileBytes& file, PixelMode mode = PixelMode::kColour) {
  auto result = loaded(file, mode);
  if (const auto* skipped = std::get_if<SkippedFile>(&result)) {
    ADD_FAILURE() << skipped->reason << ": " << skipped->detail;
    return {};
  }
  return std::get<ShownPixels>(std::move(result));
}

SkippedFile skipped(const FileBytes& file, const ImagesOptions& limits = {}) {
  auto result = loaded(file, PixelMode::kGray, limits);
  if (!std::holds_alternative<SkippedFile>(result)) {
    ADD_FAILURE() << "was read";
    return {};
  }
  return std::get<SkippedFile>(std::move(result));
}

// Returns the mean over all channels; 255 for images of different size or type.
double mean_difference(const cv::Mat& a, const cv::Mat& b) {
  if (a.size() != b.size() || a.type() != b.type()) return 255;
  return cv::norm(a, b, cv::NORM_L1) / static_cast<double>(a.total()) / a.channels();
}

cv::Mat coloured(const cv::Mat& gray) {
  cv::Mat colour;
  cv::cvtColor(gray, colour, cv::COLOR_GRAY2BGR);
  return colour;
}

// Draws smooth colours that differ at every corner; sides are even.
cv::Mat draw_colours(int width, int height) {
  cv::Mat picture(height, width, CV_8UC3);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      picture.at<cv::Vec3b>(y, x) = {static_cast<std::uint8_t>(x * 255 / width),
                                     static_cast<std::uint8_t>(y * 255 / height),
                                     static_cast<std::uint8_t>(255 - x * 200 / width)};
    }
  }
  return picture;
}

FileBytes cut(const FileBytes& file, double share) {
  const auto size = static_cast<double>(file.size()) * share;
  return {file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)};
}

class Gif : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_built(ReaderModule::kGif)) GTEST_SKIP() << "built without giflib";
  }
  const cv::Mat picture_ = cv::min(draw_picture(61, 43, 1), 254);
};

TEST_F(Gif, IsReadAsItIs) {
  for (const bool interlaced : {false, true}) {
    const FileBytes file = make_gif(picture_, {.interlaced = interlaced});
    const ShownPixels gray = shown(file, PixelMode::kGray);
    EXPECT_EQ(mean_difference(gray.pixels, picture_), 0) << interlaced;
    EXPECT_TRUE(gray.alpha.empty());
    EXPECT_EQ(mean_difference(shown(file).pixels, coloured(picture_)), 0) << interlaced;
  }
}

TEST_F(Gif, IsItsFirstFrame) {
  EXPECT_EQ(
      mean_difference(shown(make_gif(picture_, {.frames = 3}), PixelMode::kGray).pixels, picture_),
      0);
}

TEST_F(Gif, WhatNoPixelCoversIsTransparent) {
  cv::Mat bgra;
  cv::cvtColor(draw_colours(60, 40), bgra, cv::COLOR_BGR2BGRA);
  bgra(cv::Rect(0, 0, 30, 40)).setTo(cv::Scalar(0, 0, 0, 0));
  const ShownPixels half = shown(make_gif(bgra));
  ASSERT_FALSE(half.alpha.empty());
  EXPECT_EQ(cv::countNonZero(half.alpha), 30 * 40);
  EXPECT_EQ(half.alpha.at<std::uint8_t>(20, 10), 0);

  const ShownPixels small =
      shown(make_gif(picture_, {.place = {5, 7}, .screen = {100, 80}}), PixelMode::kGray);
  ASSERT_EQ(small.alpha.size(), cv::Size(100, 80));
  EXPECT_EQ(cv::countNonZero(small.alpha), static_cast<int>(picture_.total()));
  EXPECT_EQ(mean_difference(small.pixels(cv::Rect({5, 7}, picture_.size())), picture_), 0);
}

TEST_F(Gif, AScreenThatIsTooSmallCutsNothingOff) {
  const ShownPixels result =
      shown(make_gif(picture_, {.place = {3, 2}, .screen = {20, 20}}), PixelMode::kGray);
  EXPECT_EQ(result.pixels.size(), picture_.size() + cv::Size(3, 2));
}

TEST_F(Gif, OfAHugeScreenIsNotDecoded) {
  const SkippedFile file = skipped(make_gif(picture_, {.screen = {60'000, 60'000}}));
  EXPECT_EQ(file.reason, "too_large");
  EXPECT_THAT(file.detail, HasSubstr("60000 x 60000 px"));
}

TEST_F(Gif, ThatIsDamagedIsSetAside) {
  const FileBytes file = make_gif(picture_);
  for (const double share : {0.9, 0.5, 0.01}) {
    const SkippedFile damaged = skipped(cut(file, share));
    EXPECT_EQ(damaged.reason, "undecodable");
    EXPECT_THAT(damaged.detail, StartsWith("giflib: ")) << share;
  }
  const FileBytes without_picture = {'G', 'I', 'F', '8', '9', 'a', 32, 0, 32, 0, 0, 0, 0, ';'};
  EXPECT_EQ(skipped(without_picture).reason, "undecodable");
}

class Heif : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!can_make_heif(GetParam())) GTEST_SKIP() << "libheif has no encoder of this format";
  }
  FileBytes file(const cv::Mat& picture, int orientation = 1, int exif = 0) const {
    return make_heif(picture,
                     {.av1 = GetParam(), .orientation = orientation, .exif_orientation = exif});
  }
  const cv::Mat picture_ = draw_colours(96, 64);
};

TEST_P(Heif, IsReadInColourAndInGrey) {
  cv::Mat gray;
  cv::cvtColor(picture_, gray, cv::COLOR_BGR2GRAY);
  EXPECT_LT(mean_difference(shown(file(picture_)).pixels, picture_), 4);
  EXPECT_LT(mean_difference(shown(file(picture_), PixelMode::kGray).pixels, gray), 2);
}

TEST_P(Heif, IsTurnedOnceAsItsPropertiesDemand) {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    EXPECT_LT(mean_difference(shown(file(picture_, orientation)).pixels,
                              upright(picture_.clone(), orientation)),
              4)
        << orientation;
    // Cameras repeat the orientation in EXIF.
    EXPECT_LT(mean_difference(shown(file(picture_, orientation, orientation)).pixels,
                              upright(picture_.clone(), orientation)),
              4)
        << orientation;
  }
  EXPECT_LT(mean_difference(shown(file(picture_, 1, 6)).pixels, picture_), 4);
}

TEST_P(Heif, MayBeTransparent) {
  cv::Mat bgra;
  cv::cvtColor(picture_, bgra, cv::COLOR_BGR2BGRA);
  bgra(cv::Rect(0, 0, 48, 64)).setTo(cv::Scalar(0, 0, 0, 0));
  const ShownPixels result = shown(file(bgra));
  ASSERT_EQ(result.alpha.size(), picture_.size());
  EXPECT_LT(result.alpha.at<std::uint8_t>(32, 20), 10);
  EXPECT_GT(result.alpha.at<std::uint8_t>(32, 76), 245);
  // Opaque pixels with an alpha channel are an opaque image.
  cv::cvtColor(picture_, bgra, cv::COLOR_BGR2BGRA);
  EXPECT_TRUE(shown(file(bgra)).alpha.empty());
}

TEST_P(Heif, ThatIsTooLargeIsNotDecoded) {
  ImagesOptions limits;
  limits.max_megapixels = 1;
  const SkippedFile result =
      skipped(file(cv::Mat(1024, 1024, CV_8UC3, cv::Scalar::all(9))), limits);
  EXPECT_EQ(result.reason, "too_large");
  EXPECT_THAT(result.detail, HasSubstr("1024 x 1024 px"));
}

TEST_P(Heif, IsAsLargeAsItsPixelsWhateverItsPropertiesSay) {
  FileBytes bytes = file(cv::Mat(1024, 1024, CV_8UC3, cv::Scalar::all(9)));
  const CodedSize coded = largest_coded_size(bytes).value();
  EXPECT_EQ(coded.width, 1024U);
  EXPECT_EQ(coded.height, 1024U);
  constexpr std::string_view kSize = "ispe";
  const auto at = std::search(bytes.begin(), bytes.end(), kSize.begin(), kSize.end());
  ASSERT_NE(at, bytes.end());
  const FileBytes small = {0, 0, 0, 64, 0, 0, 0, 64};
  std::ranges::copy(small, at + 8);
  ImagesOptions limits;
  limits.max_megapixels = 1;
  const SkippedFile result = skipped(bytes, limits);
  EXPECT_EQ(result.reason, "too_large");
  EXPECT_THAT(result.detail, HasSubstr("1024 x 1024 px"));
}

TEST_P(Heif, ThatIsDamagedIsSetAside) {
  const FileBytes whole = file(picture_);
  for (const double share : {0.8, 0.3, 0.05}) {
    const SkippedFile damaged = skipped(cut(whole, share));
    EXPECT_EQ(damaged.reason, "undecodable");
    EXPECT_THAT(damaged.detail, StartsWith("libheif: ")) << share;
  }
}

// Not "undecodable" like damaged files, which are tried again only when they change.
TEST_P(Heif, InACodingWithoutADecoderHasNoReader) {
  FileBytes coded = file(picture_);
  const std::string_view known = GetParam() ? "av01" : "hvc1";
  const auto item = std::search(coded.begin(), coded.end(), known.begin(), known.end());
  ASSERT_NE(item, coded.end());
  // A coding that libheif knows but cannot decode.
  std::ranges::copy(std::string_view("vvc1"), item);
  const SkippedFile result = skipped(coded);
  EXPECT_EQ(result.reason, "no_reader");
  EXPECT_THAT(result.detail, HasSubstr("lookalike formats"));
}

INSTANTIATE_TEST_SUITE_P(Formats, Heif, testing::Bool(), [](const auto& format) {
  return std::string(format.param ? "Avif" : "Heic");
});

// A box of ISO/IEC 14496-12.
FileBytes box(std::string_view type, const FileBytes& content) {
  FileBytes bytes;
  for (const int shift : {24, 16, 8, 0}) {
    bytes.push_back(static_cast<std::uint8_t>((content.size() + 8) >> shift));
  }
  bytes.insert(bytes.end(), type.begin(), type.end());
  bytes.insert(bytes.end(), content.begin(), content.end());
  return bytes;
}

FileBytes joined(const std::vector<FileBytes>& parts) {
  FileBytes all;
  for (const FileBytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// A file with one item, number 5, whose data lies in two parts of `idat`.
FileBytes heif_with(std::string_view type, const FileBytes& data) {
  FileBytes entry = {2, 0, 0, 0, 0, 5, 0, 0};
  entry.insert(entry.end(), type.begin(), type.end());
  const FileBytes items = joined({{0, 0, 0, 0, 0, 1}, box("infe", entry)});
  const auto rest = static_cast<std::uint8_t>(data.size() - 3);
  const FileBytes places = {1, 0, 0, 0, 0x11, 0, 0, 1, 0, 5, 0, 1, 0, 0, 0, 2, 0, 3, 3, rest};
  return joined({box("ftyp", {'m', 'i', 'f', '1'}),
                 box("meta", joined({FileBytes(4, 0), box("iinf", items), box("iloc", places),
                                     box("idat", data)}))});
}

TEST(HeifSize, IsThatOfCanvasesToo) {
  const FileBytes grid = {0, 0, 1, 1, 0x40, 0, 0x30, 0};
  EXPECT_EQ(largest_coded_size(heif_with("grid", grid))->pixels(), std::uint64_t{0x4000} * 0x3000);
  const FileBytes overlay = {0, 1, 9, 9, 9, 9, 9, 9, 9, 9, 0, 1, 0, 0, 0, 2, 0, 0};
  EXPECT_EQ(largest_coded_size(heif_with("iovl", overlay))->pixels(),
            std::uint64_t{0x20000} * 0x10000);
  EXPECT_EQ(largest_coded_size(heif_with("Exif", grid))->pixels(), 0U);
}

// Items that share their bytes.
TEST(HeifSize, IsNotSoughtForLong) {
  FileBytes places = {1, 0, 0, 0, 0x11, 0, 0, 1, 0, 5, 0, 0, 0, 0, 0xff, 0xff};
  places.resize(places.size() + 2 * 0xffff, 0xff);
  FileBytes file = box("meta", joined({FileBytes(4, 0), box("iloc", {})}));
  EXPECT_TRUE(largest_coded_size(file).has_value());
  file = joined({{0, 0, 0, 0, 'm', 'e', 't', 'a', 0, 0, 0, 0},
                 box("idat", FileBytes(0x200, 0)),
                 {0, 0, 0, 0, 'i', 'l', 'o', 'c'},
                 places});
  EXPECT_FALSE(largest_coded_size(file).has_value());
}

// Every entry of the table of places is looked at once for each type that the file gives its item.
TEST(HeifSize, IsNotSoughtForLongAmongItemsOfManyTypes) {
  constexpr std::uint32_t kItems = 20'000;
  FileBytes items = {0, 0, 0, 0, 0, 0};
  FileBytes places = {1, 0, 0, 0, 0, 0, kItems >> 8U, kItems & 0xffU};
  for (std::uint32_t i = 0; i < kItems; ++i) {
    const FileBytes entry =
        box("infe", {2, 0, 0, 0, 0, 1, 0, 0, 'a', static_cast<std::uint8_t>(i >> 16U),
                     static_cast<std::uint8_t>(i >> 8U), static_cast<std::uint8_t>(i)});
    items.insert(items.end(), entry.begin(), entry.end());
    places.insert(places.end(), {0, 1, 0, 0, 0, 0, 0, 0});
  }
  const FileBytes file =
      box("meta", joined({FileBytes(4, 0), box("iinf", items), box("iloc", places)}));
  EXPECT_FALSE(largest_coded_size(file).has_value());
}

struct TiffEntry {
  std::uint16_t tag = 0;
  std::uint16_t type = 0;  // 3: 16 bits, 4: 32 bits
  std::uint32_t value = 0;
};

// Takes 6 bytes, and 12 for each entry.
FileBytes tiff_directory(const std::vector<TiffEntry>& entries, std::uint32_t next = 0) {
  FileBytes bytes;
  const auto put = [&](std::uint32_t value, int count) {
    for (int i = 0; i < count; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
  };
  put(static_cast<std::uint32_t>(entries.size()), 2);
  for (const TiffEntry& entry : entries) {
    put(entry.tag, 2);
    put(entry.type, 2);
    put(1, 4);
    put(entry.value, 4);
  }
  put(next, 4);
  return bytes;
}

// Places directories after a header of 8 bytes.
FileBytes tiff(const std::vector<TiffEntry>& entries, std::uint32_t next = 0) {
  return joined({{'I', 'I', 42, 0, 8, 0, 0, 0}, tiff_directory(entries, next)});
}

class Raw : public testing::Test {
 protected:
  const cv::Mat picture_ = draw_colours(160, 96);
};

TEST_F(Raw, IsItsPreviewUpright) {
  for (const RawForm form : {RawForm::kDng, RawForm::kNef, RawForm::kCr2, RawForm::kRaf}) {
    for (int orientation = 1; orientation <= 8; ++orientation) {
      const FileBytes file = make_raw(picture_, form, orientation);
      EXPECT_EQ(format_of(file), ImageFormat::kRaw);
      EXPECT_LT(mean_difference(shown(file).pixels, upright(picture_.clone(), orientation)), 4)
          << static_cast<int>(form) << ", " << orientation;
    }
  }
}

TEST_F(Raw, WithoutAJpegPreviewIsThePlainPictureOfItsFirstDirectory) {
  EXPECT_LT(mean_difference(shown(make_raw(picture_, RawForm::kNoJpeg)).pixels, picture_), 1);
}

TEST_F(Raw, WithoutADirectoryThatNamesItThePreviewIsFoundByItsForm) {
  FileBytes file = make_raw(picture_, RawForm::kDng);
  std::fill(file.end() - 200, file.end(), std::uint8_t{0});  // its first directory
  EXPECT_LT(mean_difference(shown(raw_preview(file)).pixels, picture_), 4);
}

TEST_F(Raw, TheSensorsDataIsNoPreview) {
  FileBytes jpeg = encode(".jpg", picture_);
  FileBytes file(100, 0);
  file.insert(file.end(), jpeg.begin(), jpeg.end());
  EXPECT_EQ(raw_preview(file), jpeg);
  const std::vector<std::uint8_t> frame = {0xff, 0xc0};
  const auto at = std::search(file.begin(), file.end(), frame.begin(), frame.end());
  ASSERT_NE(at, file.end());
  at[1] = 0xc3;  // lossless
  EXPECT_TRUE(raw_preview(file).empty());
}

TEST_F(Raw, PreviewsAreReadReducedAsJpegFilesAre) {
  LoadedFile file;
  file.bytes = make_raw(draw_colours(1600, 1200), RawForm::kDng, 6);
  const auto result = decode(file, 400, ImagesOptions());
  const auto& image = std::get<DecodedImage>(result);
  EXPECT_EQ(image.record.width, 1200);
  EXPECT_EQ(image.record.height, 1600);
  EXPECT_EQ(image.pixels.height, 400);
}

TEST_F(Raw, WithAPreviewThatIsTooLargeIsNotDecoded) {
  ImagesOptions limits;
  limits.max_megapixels = 1;
  const cv::Mat large(1024, 1024, CV_8UC3, cv::Scalar::all(9));
  const SkippedFile jpeg = skipped(make_raw(large, RawForm::kDng), limits);
  EXPECT_EQ(jpeg.reason, "too_large");
  EXPECT_THAT(jpeg.detail, HasSubstr("1024 x 1024 px"));
  EXPECT_EQ(skipped(make_raw(large, RawForm::kNoJpeg), limits).reason, "too_large");
}

TEST_F(Raw, ThatIsDamagedIsSetAside) {
  const FileBytes directory_last = make_raw(picture_, RawForm::kDng);
  const FileBytes directory_first =
      joined({tiff({{513, 4, 38}, {50706, 1, 1}}), encode(".jpg", picture_)});
  const FileBytes small_one_first = make_raw(picture_, RawForm::kRaf);
  for (const double share : {0.9, 0.7}) {
    EXPECT_EQ(skipped(cut(directory_last, share)).reason, "undecodable") << share;
    for (const FileBytes& file : {directory_first, small_one_first}) {
      const SkippedFile damaged = skipped(cut(file, share));
      EXPECT_EQ(damaged.reason, "undecodable") << share;
      EXPECT_THAT(damaged.detail, HasSubstr("ends early")) << share;
    }
  }
}

TEST_F(Raw, OrientationOfCr3IsInABox) {
  const FileBytes file =
      joined({box("ftyp", {'c', 'r', 'x', ' '}), box("moov", box("CMT1", tiff({{274, 3, 6}}))),
              box("mdat", encode(".jpg", picture_))});
  EXPECT_LT(mean_difference(shown(file).pixels, upright(picture_.clone(), 6)), 4);
}

TEST_F(Raw, DirectoriesNamePreviewsInSeveralWays) {
  const FileBytes unnamed = encode(".jpg", picture_);
  const FileBytes named = encode(".jpg", draw_colours(16, 16));
  const auto at = [&](std::size_t directories) {
    return static_cast<std::uint32_t>(directories + unnamed.size());
  };
  const std::vector<FileBytes> files = {
      tiff({{513, 4, at(26)}}), tiff({{46, 7, at(26)}}), tiff({{259, 3, 7}, {273, 4, at(38)}}),
      joined({tiff({{330, 4, 26}}), tiff_directory({{513, 4, at(44)}})})};
  for (const FileBytes& directories : files) {
    EXPECT_EQ(raw_preview(joined({directories, unnamed, named})), named);
  }
}

TEST_F(Raw, TilesAndThumbnailsOfEditorsAreNoPreviews) {
  const FileBytes jpeg = encode(".jpg", picture_);
  EXPECT_EQ(raw_preview(joined({tiff({{271, 2, 0}}), jpeg})), jpeg);
  EXPECT_TRUE(raw_preview(joined({tiff({{324, 4, 26}}), jpeg})).empty());
  EXPECT_TRUE(raw_preview(joined({tiff({{50706, 1, 1}}), jpeg})).empty());
}

TEST_F(Raw, APlainPictureThatIsLargerGoesBeforeAPreview) {
  const FileBytes jpeg = encode(".jpg", picture_);
  const auto preview_beside = [&](std::uint32_t width, std::uint32_t colour_space) {
    return raw_preview(
        joined({tiff({{256, 3, width}, {257, 3, 96}, {259, 3, 1}, {262, 3, colour_space}}), jpeg}));
  };
  EXPECT_TRUE(preview_beside(160, 2).empty());
  EXPECT_EQ(preview_beside(159, 2), jpeg);
  EXPECT_EQ(preview_beside(4000, 32803), jpeg);  // the sensor's data
}

TEST_F(Raw, OfManyEmbeddedFilesTheFirstAreLookedAt) {
  const FileBytes small = encode(".jpg", draw_colours(16, 16));
  const FileBytes large = encode(".jpg", draw_colours(32, 32));
  std::vector<FileBytes> parts(256, small);
  parts.front() = FileBytes(16, 0);
  parts.push_back(large);
  EXPECT_EQ(raw_preview(joined(parts)), large);
  parts.push_back(large);
  parts[256] = small;
  EXPECT_EQ(raw_preview(joined(parts)), small);
}

TEST_F(Raw, OfManyDirectoriesTheFirstAreLookedAt) {
  const FileBytes jpeg = encode(".jpg", draw_colours(16, 16));
  const auto named_by_the_last_of = [&](std::uint32_t directories) {
    std::vector<FileBytes> parts = {tiff({{50706, 1, 1}}, 26)};
    for (std::uint32_t i = 2; i < directories; ++i) {
      parts.push_back(tiff_directory({{271, 2, 0}}, 8 + 18 * i));
    }
    parts.push_back(tiff_directory({{513, 4, 8 + 18 * directories}}));
    parts.push_back(jpeg);
    return raw_preview(joined(parts));
  };
  EXPECT_EQ(named_by_the_last_of(65), jpeg);
  EXPECT_TRUE(named_by_the_last_of(66).empty());
}

TEST_F(Raw, IsKnownByTheMarksOfCameras) {
  const auto format_with = [](std::size_t at, std::string_view mark) {
    FileBytes file(64, 0);
    std::ranges::copy(mark, file.begin() + static_cast<std::ptrdiff_t>(at));
    return format_of(file);
  };
  for (const char* mark : {"FUJIFILMCCD-RAW", "IIU", "IIRO", "IIRS", "MMOR", "FOVb"}) {
    EXPECT_EQ(format_with(0, mark), ImageFormat::kRaw) << mark;
  }
  EXPECT_EQ(format_with(1, "MRM"), ImageFormat::kRaw);
  EXPECT_EQ(format_with(6, "HEAPCCDR"), ImageFormat::kRaw);
  EXPECT_EQ(format_with(4, "ftypcrx "), ImageFormat::kRaw);
  EXPECT_EQ(format_with(8, "CR\x02"), ImageFormat::kOther);  // only in TIFF-based files
}

TEST_F(Raw, APhotoSavedAsTiffIsNone) {
  const FileBytes saved = encode(".tiff", coloured(draw_picture(40, 30, 1)));
  EXPECT_EQ(format_of(saved), ImageFormat::kOther);
  EXPECT_FALSE(shown(saved).pixels.empty());
  EXPECT_EQ(format_of(tiff({{259, 3, 1}, {271, 2, 0}})), ImageFormat::kOther);  // names its camera
}

class AnimatedWebp : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_built(ReaderModule::kWebp)) GTEST_SKIP() << "built without libwebpdemux";
  }
  const cv::Mat picture_ = draw_colours(96, 64);
};

TEST_F(AnimatedWebp, IsItsFirstFrame) {
  const FileBytes file = make_animated_webp(picture_);
  EXPECT_EQ(format_of(file), ImageFormat::kAnimatedWebp);
  const ShownPixels result = shown(file);
  EXPECT_LT(mean_difference(result.pixels, picture_), 4);
  EXPECT_TRUE(result.alpha.empty());
  EXPECT_EQ(format_of(encode(".webp", picture_)), ImageFormat::kOther);
}

TEST_F(AnimatedWebp, MayBeTransparent) {
  cv::Mat bgra;
  cv::cvtColor(picture_, bgra, cv::COLOR_BGR2BGRA);
  bgra(cv::Rect(0, 0, 48, 64)).setTo(cv::Scalar(0, 0, 0, 0));
  const ShownPixels result = shown(make_animated_webp(bgra));
  ASSERT_EQ(result.alpha.size(), picture_.size());
  EXPECT_EQ(cv::countNonZero(result.alpha), 48 * 64);
}

TEST_F(AnimatedWebp, OfAHugeCanvasIsNotDecoded) {
  FileBytes file = make_animated_webp(picture_);
  constexpr std::size_t kWidth = 24;  // width - 1 in three bytes, then height - 1 in three
  const FileBytes side = {0xff, 0x3f, 0};
  for (std::size_t i = 0; i < 6; ++i) file[kWidth + i] = side[i % 3];
  const SkippedFile huge = skipped(file);
  EXPECT_EQ(huge.reason, "too_large");
  EXPECT_THAT(huge.detail, HasSubstr("16384 x 16384 px"));
  // Within the limits, it still gets no gigabyte for its few bytes.
  if (!AddressSpaceLimit::kIsPossible) return;
  ImagesOptions limits;
  limits.max_megapixels = 1000;
  EXPECT_THAT(std::get<SkippedFile>(loaded(file, PixelMode::kGray, limits)).detail,
              HasSubstr("more memory"));
}

TEST_F(AnimatedWebp, ThatIsDamagedIsSetAside) {
  EXPECT_THAT(skipped(cut(make_animated_webp(picture_), 0.3)).detail, StartsWith("libwebp: "));
}

TEST(MissingPart, IsNoneOfFormatsThatAreRead) {
  for (const ImageFormatInfo& format : image_formats()) {
    if (format.package.empty()) {
      EXPECT_EQ(missing_part(format), "") << format.name;
    }
    if (!format.is_built_in()) {
      EXPECT_THAT(missing_part(format), HasSubstr(std::string(format.package)));
    }
  }
}

}  // namespace
}  // namespace lookalike
