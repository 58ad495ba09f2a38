#include "tools/serve/photo_dates.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>

#include "base/source_file.h"
#include "stages/decode/readers.h"
#include "tests/fixtures/image_files.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// A JPEG file whose EXIF has DateTimeOriginal.
std::string photo_of(const std::string& date) {
  std::vector<std::uint8_t> jpeg;
  cv::imencode(".jpg", cv::Mat(16, 16, CV_8U, cv::Scalar(90)), jpeg);
  std::string bytes(jpeg.begin(), jpeg.end());
  return bytes.insert(2, exif_segment("Leica", "M10", date));
}

class PhotoDatesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!missing_for_metadata().empty()) GTEST_SKIP() << "no reader of metadata";
    folder_.write("photo.jpg", photo_of("2019:07:14 12:30:05"));
    file_ = *look_at(folder_ / "photo.jpg");
  }
  bool is_known(const PhotoDates& dates) const {
    return dates.of(file_.path, file_.modified_ns).is_taken;
  }

  const TemporaryFolder folder_;
  const fs::path kept_ = folder_ / "dates/of-an-index";
  SourceFile file_;
};

TEST_F(PhotoDatesTest, AreReadOnceAndKept) {
  PhotoDates dates(kept_);
  EXPECT_FALSE(is_known(dates));
  EXPECT_EQ(dates.read_all({&file_, 1}, 1min), 0U);
  EXPECT_TRUE(is_known(dates));
  fs::remove(file_.path);
  PhotoDates others(kept_);
  EXPECT_EQ(others.read(file_.path, file_.modified_ns).time, 20190714123005);
}

TEST_F(PhotoDatesTest, AFileThatCannotBeReadIsNotAskedWithEachRequestAndKeepsItsDate) {
  fs::rename(file_.path, folder_ / "away.jpg");
  {
    PhotoDates dates(kept_);
    EXPECT_EQ(dates.read_all({&file_, 1}, 1min), 0U);
    fs::rename(folder_ / "away.jpg", file_.path);
    EXPECT_EQ(dates.read_all({&file_, 1}, 1min), 0U);
    EXPECT_FALSE(is_known(dates));
  }
  PhotoDates later(kept_);
  EXPECT_EQ(later.read_all({&file_, 1}, 1min), 0U);
  EXPECT_TRUE(is_known(later));
}

TEST_F(PhotoDatesTest, ThoseOfIndexesThatAreNotServedAreRemoved) {
  folder_.write("dates/old", "");
  folder_.write("dates/recent", "");
  const auto now = fs::file_time_type::clock::now();
  fs::last_write_time(folder_ / "dates/old", now - 101 * 24h);
  fs::last_write_time(folder_ / "dates/recent", now - 99 * 24h);
  PhotoDates dates(kept_);
  EXPECT_EQ(dates.read_all({&file_, 1}, 1min), 0U);
  EXPECT_FALSE(fs::exists(folder_ / "dates/old"));
  EXPECT_TRUE(fs::exists(folder_ / "dates/recent"));
  EXPECT_TRUE(fs::exists(kept_));
}

}  // namespace
}  // namespace lookalike
