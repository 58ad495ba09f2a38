#include "stages/decode/tiff.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/page_name.h"
#include "stages/decode/decode.h"
#include "stages/decode/pixels.h"
#include "tests/stages/pictures.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class TiffPages : public ::testing::Test {
 protected:
  static cv::Mat picture(unsigned page) {
    return draw_picture(60 + static_cast<int>(page), 40, page);
  }
  static std::vector<cv::Mat> pictures(unsigned count) {
    std::vector<cv::Mat> pages;
    for (unsigned page = 1; page <= count; ++page) pages.push_back(picture(page));
    return pages;
  }
  std::string scan() const { return folder_.write("scan.tif", text(encode_pages(pictures(3)))); }
  // Reads the pixels of a name.
  cv::Mat pixels(const std::string& name) const {
    auto loaded = load_pixels(name, PixelMode::kGray, limits_);
    if (const auto* skipped = std::get_if<SkippedFile>(&loaded)) {
      ADD_FAILURE() << skipped->reason << ": " << skipped->detail;
      return {};
    }
    return std::get<ShownPixels>(loaded).pixels;
  }
  SkippedFile skipped(const std::string& name) const {
    const auto loaded = load_file(name, limits_);
    EXPECT_TRUE(std::holds_alternative<SkippedFile>(loaded)) << name;
    return std::get<SkippedFile>(loaded);
  }

  TemporaryFolder folder_;
  ImagesOptions limits_;
};

TEST_F(TiffPages, AreReadByTheirNames) {
  const std::string file = scan();
  EXPECT_EQ(cv::norm(pixels(file), picture(1)), 0);
  EXPECT_EQ(cv::norm(pixels(file + "[1]"), picture(1)), 0);
  EXPECT_EQ(cv::norm(pixels(file + "[2]"), picture(2)), 0);
  EXPECT_EQ(cv::norm(pixels(file + "[3]"), picture(3)), 0);
  const SkippedFile fourth = skipped(file + "[4]");
  EXPECT_EQ(fourth.reason, "no_page");
  EXPECT_EQ(fourth.detail, "the file has 3 pages");
  EXPECT_EQ(fourth.file.path, file + "[4]");
  EXPECT_EQ(skipped(file + "f[2]").reason, "vanished");
}

TEST_F(TiffPages, HaveTheNameAndContentOfTheirPage) {
  const std::string file = scan();
  const auto first = std::get<LoadedFile>(load_file(file, limits_));
  const auto second = std::get<LoadedFile>(load_file(file + "[2]", limits_));
  EXPECT_EQ(first.pages.size(), 3U);
  EXPECT_EQ(second.file.path, file + "[2]");
  EXPECT_EQ(second.file.size_bytes, first.file.size_bytes);
  EXPECT_EQ(second.content, page_content(first.content, 2));
  EXPECT_EQ(page_of_loaded(first, 2).bytes, second.bytes);
}

TEST_F(TiffPages, AFileOfThatVeryNameComesFirst) {
  scan();
  const std::string file = folder_.write("scan.tif[2]", text(encode(".png", picture(9))));
  EXPECT_EQ(cv::norm(pixels(file), picture(9)), 0);
}

TEST_F(TiffPages, OtherFilesHaveOne) {
  const std::string file = folder_.write("a.png", text(encode(".png", picture(1))));
  EXPECT_EQ(std::get<LoadedFile>(load_file(file, limits_)).pages.size(), 0U);
  EXPECT_EQ(skipped(file + "[2]").detail, "the file has 1 page");
}

TEST_F(TiffPages, SmallerCopiesAndMasksAreNone) {
  EXPECT_THAT(tiff_pages(encode_pages(pictures(4), {1, 1, 4, 2}), 9).value(), SizeIs(2));
  const std::string file = folder_.write("scan.tif", text(encode_pages(pictures(4), {0, 1, 4, 2})));
  EXPECT_EQ(cv::norm(pixels(file + "[2]"), picture(4)), 0);
}

TEST_F(TiffPages, MoreThanTheLimitAreRefused) {
  const std::string file = scan();
  limits_.max_pages = 3;
  EXPECT_EQ(std::get<LoadedFile>(load_file(file, limits_)).pages.size(), 3U);
  limits_.max_pages = 2;
  EXPECT_EQ(skipped(file).reason, "too_large");
  EXPECT_THAT(skipped(file).detail, HasSubstr("images.max_pages = 2"));
}

TEST_F(TiffPages, AChainThatLeadsBackEnds) {
  std::vector<std::uint8_t> file = encode_pages(pictures(3));
  const std::vector<std::size_t> pages = tiff_pages(file, 9).value();
  ASSERT_THAT(pages, SizeIs(3));
  const std::size_t next = pages[2] + 2 + 12 * 8;
  file[next] = static_cast<std::uint8_t>(pages[1]);
  file[next + 1] = static_cast<std::uint8_t>(pages[1] >> 8);
  file[next + 2] = static_cast<std::uint8_t>(pages[1] >> 16);
  EXPECT_THAT(tiff_pages(file, 9).value(), SizeIs(3));
}

// Directories that overlap, each of 65,535 entries, all of them smaller copies of other pages.
TEST_F(TiffPages, MoreEntriesThanAreReadAreRefused) {
  constexpr std::size_t kDirectories = 40;
  constexpr std::size_t kEntries = 0xffff;
  std::vector<std::uint8_t> file(8 + 4 * kDirectories + 12 * kEntries + 64);
  const auto put = [&](std::size_t at, std::uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) file[at++] = static_cast<std::uint8_t>(value >> 8 * i);
  };
  put(0, 0x2a4949, 4);
  put(4, 8, 4);
  for (std::size_t i = 0; i < kDirectories; ++i) {
    put(8 + 4 * i, kEntries, 2);
    put(8 + 4 * i + 2 + 12 * kEntries, static_cast<std::uint32_t>(8 + 4 * (i + 1)), 4);
  }
  EXPECT_FALSE(tiff_pages(file, 99));
  const std::string path = folder_.write("scan.tif", text(file));
  EXPECT_EQ(skipped(path).reason, "too_large");
}

TEST_F(TiffPages, ACutFileHasThoseThatItReaches) {
  const std::vector<std::uint8_t> file = encode_pages(pictures(3));
  for (std::size_t bytes = 0; bytes < file.size(); bytes += 7) {
    EXPECT_LE(tiff_pages(std::span(file).first(bytes), 9).value().size(), 3U);
  }
  EXPECT_THAT(tiff_pages(std::span(file).first(2600), 9).value(), SizeIs(2));
}

// EXIF data in little-endian order with one directory, at byte 8.
std::vector<std::uint8_t> exif_data(const std::vector<std::array<std::uint8_t, 12>>& entries) {
  std::vector<std::uint8_t> exif = {
      'I', 'I', 42, 0, 8, 0, 0, 0, static_cast<std::uint8_t>(entries.size()), 0};
  for (const auto& entry : entries) exif.insert(exif.end(), entry.begin(), entry.end());
  return exif;
}

constexpr std::array<std::uint8_t, 12> kSix = {0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0};

TEST(ExifOrientation, IsTheFirstThatIsStated) {
  EXPECT_EQ(exif_orientation(exif_data({kSix})), 6);
  EXPECT_EQ(exif_orientation(exif_data({kSix, {0x12, 1, 3, 0, 1, 0, 0, 0, 3, 0, 0, 0}})), 6);
  EXPECT_EQ(exif_orientation(exif_data({{0x1a, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0}})), 1);
}

TEST(ExifOrientation, IsOneWithoutExif) {
  EXPECT_EQ(exif_orientation({}), 1);
  EXPECT_EQ(exif_orientation(std::vector<std::uint8_t>{'I', 'I', 42}), 1);
  EXPECT_EQ(exif_orientation(std::vector<std::uint8_t>{'I', 'M', 42, 0, 8, 0, 0, 0}), 1);
  const std::string xmp = "p://ns.adobe.com/xap/1.0/";
  EXPECT_EQ(exif_orientation(std::vector<std::uint8_t>(xmp.begin(), xmp.end())), 1);
}

TEST(ExifOrientation, IsUnknownAfterAValueOutsideTheData) {
  const std::array<std::uint8_t, 12> maker = {0x0f, 1, 2, 0, 200, 0, 0, 0, 30, 0, 0, 0};
  EXPECT_EQ(exif_orientation(exif_data({maker, kSix})), std::nullopt);
  EXPECT_EQ(exif_orientation(exif_data({kSix, maker})), 6);
  std::vector<std::uint8_t> cut = exif_data({kSix});
  cut.resize(cut.size() - 4);
  EXPECT_EQ(exif_orientation(cut), std::nullopt);
}

}  // namespace
}  // namespace lookalike
