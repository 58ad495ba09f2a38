// Rare kinds of image files, and image files with unusual names.

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stages/decode/decode.h"
#include "tests/rights.h"
#include "tests/stages/pictures.h"
#include "tests/stages/png_bytes.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using namespace std::chrono_literals;
using Bytes = std::vector<std::uint8_t>;

void append(Bytes& bytes, const Bytes& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

// A JPEG of 32 x 32 px in four inks as Adobe writes them, 128 of each. Each block of 8 x 8 takes
// two bits, a first coefficient without difference and the end of the block: each table has one
// code.
Bytes cmyk_jpeg() {
  Bytes jpeg = {0xff, 0xd8};
  append(jpeg, {0xff, 0xee, 0, 14, 'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, 0});
  append(jpeg, {0xff, 0xdb, 0, 67, 0});  // quantisation
  append(jpeg, Bytes(64, 1));
  append(jpeg, {0xff, 0xc0, 0, 20, 8, 0, 32, 0, 32, 4});  // frame
  for (const std::uint8_t ink : {'C', 'M', 'Y', 'K'}) append(jpeg, {ink, 0x11, 0});
  for (const std::uint8_t table : Bytes{0x00, 0x10}) {  // Huffman codes
    append(jpeg, {0xff, 0xc4, 0, 20, table, 1});
    append(jpeg, Bytes(15, 0));
    append(jpeg, {0});
  }
  append(jpeg, {0xff, 0xda, 0, 14, 4});  // scan
  for (const std::uint8_t ink : {'C', 'M', 'Y', 'K'}) append(jpeg, {ink, 0});
  append(jpeg, {0, 63, 0});
  append(jpeg, Bytes(4 * 4 * 4 * 2 / 8, 0));
  append(jpeg, {0xff, 0xd9});
  return jpeg;
}

// An APNG's frame control: the whole frame, for a second.
Bytes frame_control(std::uint32_t number, const cv::Mat& picture) {
  Bytes data;
  for (const std::uint32_t value : {number, static_cast<std::uint32_t>(picture.cols),
                                    static_cast<std::uint32_t>(picture.rows), 0U, 0U}) {
    put_big_endian(data, value);
  }
  append(data, {0, 1, 0, 1, 0, 0});
  return png_chunk("fcTL", data);
}

// The data of a small PNG's only IDAT chunk.
Bytes png_data(const Bytes& png) {
  const std::string type = "IDAT";
  const auto at = std::search(png.begin(), png.end(), type.begin(), type.end());
  const int length = *(at - 2) * 256 + *(at - 1);
  return {at + 4, at + 4 + length};
}

Bytes animated_png(const cv::Mat& first, const cv::Mat& second) {
  Bytes header =
      png_header(static_cast<std::uint32_t>(first.cols), static_cast<std::uint32_t>(first.rows), 0);
  append(header, png_chunk("acTL", {0, 0, 0, 2, 0, 0, 0, 0}));
  append(header, frame_control(0, first));
  Bytes png = with_png_header(encode(".png", first), header);
  const Bytes end = png_chunk("IEND", {});
  png.resize(png.size() - end.size());
  append(png, frame_control(1, second));
  Bytes data = {0, 0, 0, 2};
  append(data, png_data(encode(".png", second)));
  append(png, png_chunk("fdAT", data));
  append(png, end);
  return png;
}

class UnusualFiles : public ::testing::Test {
 protected:
  std::variant<DecodedImage, SkippedFile> decoded(const Bytes& bytes,
                                                  const std::string& name = "image") const {
    return decode_file(folder_.write(name, text(bytes)), 1024, {});
  }
  GrayImage pixels(const Bytes& bytes, const std::string& name = "image") const {
    auto result = decoded(bytes, name);
    if (const auto* skipped = std::get_if<SkippedFile>(&result)) {
      ADD_FAILURE() << skipped->reason << ": " << skipped->detail;
      return {};
    }
    return std::get<DecodedImage>(std::move(result)).pixels;
  }
  static double difference(GrayImage image, const cv::Mat& expected) {
    if (image.empty()) return 255;
    return cv::norm(cv::Mat(image.height, image.width, CV_8U, image.pixels.data()), expected,
                    cv::NORM_INF);
  }
  TemporaryFolder folder_;
};

TEST_F(UnusualFiles, CmykJpegIsReadAsWhatItsInksShow) {
  // Adobe's inks are inverted: 128 of 255 of each colour under 128 of 255 of black.
  EXPECT_LE(difference(pixels(cmyk_jpeg()), cv::Mat(32, 32, CV_8U, cv::Scalar(64))), 2);
}

TEST_F(UnusualFiles, PaletteOfAPngIsHonoured) {
  const cv::Mat picture = draw_picture(40, 30, 1);
  Bytes palette;
  for (int entry = 255; entry >= 0; --entry) append(palette, Bytes(3, std::uint8_t(entry)));
  Bytes header = png_header(40, 30, 3);
  append(header, png_chunk("PLTE", palette));
  const Bytes png = with_png_header(encode(".png", picture), header);
  EXPECT_EQ(difference(pixels(png), cv::Mat(255 - picture)), 0);
}

TEST_F(UnusualFiles, AnimatedPngIsItsFirstPicture) {
  const cv::Mat first = draw_picture(20, 20, 2);
  EXPECT_EQ(difference(pixels(animated_png(first, draw_picture(20, 20, 3))), first), 0);
}

TEST_F(UnusualFiles, ImageUnderTheNameOfAnotherFormatIsRead) {
  const cv::Mat picture = draw_picture(40, 30, 5);
  EXPECT_EQ(difference(pixels(encode(".png", picture), "photo.jpg"), picture), 0);
}

TEST_F(UnusualFiles, FileThatIsWrittenToWhileItIsReadIsChanging) {
  const std::string path = folder_.write("growing.jpg", "x");
  std::filesystem::resize_file(path, std::uintmax_t{32} << 20);  // takes a while to read
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (auto time = std::filesystem::last_write_time(path); !done; time += 1s) {
      std::filesystem::last_write_time(path, time);
    }
  });
  // The scheduler decides whether a write happens during a read; over many reads, one does.
  std::string reason;
  for (int i = 0; i < 1000 && reason != "changing"; ++i) {
    const auto result = load_file(path, {});
    const auto* skipped = std::get_if<SkippedFile>(&result);
    reason = skipped != nullptr ? skipped->reason : "none";
  }
  done = true;
  writer.join();
  EXPECT_EQ(reason, "changing");
}

TEST_F(UnusualFiles, FileThatMayNotBeReadIsUnreadable) {
  const std::string path =
      folder_.write("secret.png", text(encode(".png", draw_picture(40, 30, 6))));
  std::filesystem::permissions(path, std::filesystem::perms::none);
  const WithoutRootRights nobody;
  const auto file = std::get<SkippedFile>(decode_file(path, 1024, {}));
  EXPECT_EQ(file.reason, "unreadable");
  EXPECT_EQ(file.detail, std::generic_category().message(EACCES));
}

TEST_F(UnusualFiles, LinkToItselfIsUnreadable) {
  const std::filesystem::path link = folder_.path() / "link.jpg";
  std::filesystem::create_symlink(link, link);
  const auto file = std::get<SkippedFile>(decode_file(link, 1024, {}));
  EXPECT_EQ(file.reason, "unreadable");
  EXPECT_EQ(file.detail, std::generic_category().message(ELOOP));
}

}  // namespace
}  // namespace lookalike
