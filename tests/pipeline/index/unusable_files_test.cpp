// Runs over files that cannot be indexed, or are not worth indexing.

#include <filesystem>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "tests/pipeline/index/index_run_fixture.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Returns the name and reason of each skipped file.
std::vector<std::pair<std::string, std::string>> reasons(const IndexRunReport& report) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const SkippedFile& file : report.skipped) {
    result.emplace_back(fs::path(file.file.path).filename(), file.reason);
  }
  return result;
}

TEST_F(IndexRunTest, UnusableFilesAreReportedEachRunAndTheRestIsIndexed) {
  draw_some(3);
  const std::string empty = write("empty.jpg", {});
  const std::string dot = write("one.png", encode(".png", cv::Mat(1, 1, CV_8U, cv::Scalar(7))));
  std::vector<std::uint8_t> jpeg = encode(".jpg", draw_picture(160, 120, 9));
  jpeg.resize(jpeg.size() / 2);
  const std::string cut = write("cut.jpg", jpeg);
  const std::string words = write("words.jpg", {'t', 'e', 'x', 't'});
  fs::create_symlink("nowhere", photos() / "broken.jpg");
  for (int i = 0; i < 2; ++i) {
    const IndexRunReport report = run();
    EXPECT_THAT(
        reasons(report),
        ElementsAre(std::pair("broken.jpg", "not_a_file"), std::pair("cut.jpg", "undecodable"),
                    std::pair("empty.jpg", "empty"), std::pair("one.png", "too_small"),
                    std::pair("words.jpg", "undecodable")));
    EXPECT_EQ(report.indexed, i == 0 ? 3U : 0U);
    EXPECT_EQ(report.newly_skipped.size(), i == 0 ? 5U : 0U);
  }
  EXPECT_EQ(index().quarantine().size(), 5U);
}

// Creates a socket file, which remains when the socket is closed.
void make_socket(const fs::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(path.native().size(), sizeof address.sun_path);
  path.native().copy(address.sun_path, path.native().size());
  const FileDescriptor file(::socket(AF_UNIX, SOCK_STREAM, 0));
  ASSERT_EQ(::bind(file.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
}

TEST_F(IndexRunTest, WhatIsNoFileToReadIsSetAside) {
  draw_some(2);
  write("misnamed.jpg", encode(".png", draw_picture(160, 120, 9)));
  fs::create_symlink("itself.jpg", photos() / "itself.jpg");
  ASSERT_EQ(::mkfifo((photos() / "pipe.jpg").c_str(), 0600), 0);
  make_socket(photos() / "socket.jpg");
  const IndexRunReport report = run();
  EXPECT_THAT(reasons(report), ElementsAre(std::pair("itself.jpg", "not_a_file"),
                                           std::pair("pipe.jpg", "not_a_file"),
                                           std::pair("socket.jpg", "not_a_file")));
  EXPECT_EQ(report.indexed, 3U);
  EXPECT_TRUE(index().find(photos() / "misnamed.jpg"));
}

TEST_F(IndexRunTest, ImagesFromADiskThatIsNotMountedStay) {
  draw_some(3);
  const fs::path mount = folder_.path() / "mount";
  folder_.write("mount/m.png", text(encode(".png", draw_picture(160, 120, 50))));
  config_.images.folders.push_back(mount);
  run();
  fs::rename(mount, folder_.path() / "disk");
  fs::create_directory(mount);
  const IndexRunReport report = run();
  EXPECT_EQ(report.removed, 0U);
  EXPECT_EQ(report.withheld, 1U);
  EXPECT_TRUE(index().find(mount / "m.png"));
  fs::remove(mount);
  fs::rename(folder_.path() / "disk", mount);
  EXPECT_EQ(run().unchanged, 4U);
  EXPECT_TRUE(index().quarantine().empty());
}

TEST_F(IndexRunTest, FilesSetAsideOnADiskThatIsNotMountedStaySetAside) {
  draw_some(2);
  const fs::path mount = folder_.path() / "mount";
  folder_.write("mount/m.png", text(encode(".png", draw_picture(160, 120, 50))));
  folder_.write("mount/words.png", "text");
  const std::string gone = write("gone.png", {'x'});
  config_.images.folders.push_back(mount);
  run();
  fs::rename(mount, folder_.path() / "disk");
  fs::create_directory(mount);
  fs::remove(gone);
  EXPECT_EQ(run().withheld, 1U);
  const std::vector<SkippedFile> aside = index().quarantine();
  ASSERT_EQ(aside.size(), 1U) << "but not one whose folder is there";
  EXPECT_EQ(aside[0].file.path, mount / "words.png");
}

// A link to a name that is too long cannot be followed; it acts like a vanished share or a failing
// disk.
TEST_F(IndexRunTest, IndexedFileThatCannotBeLookedAtStays) {
  draw_some(3);
  const std::string picture =
      folder_.write("disk/m.png", text(encode(".png", draw_picture(160, 120, 50))));
  const fs::path link = photos() / "link.png";
  fs::create_symlink(picture, link);
  run();
  fs::remove(link);
  fs::create_symlink(std::string(300, 'n'), link);
  const IndexRunReport report = run();
  EXPECT_EQ(report.removed, 0U);
  ASSERT_EQ(report.skipped.size(), 1U);
  EXPECT_EQ(report.skipped[0].reason, "unreadable");
  EXPECT_TRUE(index().find(link));
  EXPECT_TRUE(index().quarantine().empty());
  fs::remove(link);
  fs::create_symlink(picture, link);
  EXPECT_EQ(run().unchanged, 4U);
}

TEST_F(IndexRunTest, FileThatBecomesUnusableLeavesTheIndex) {
  draw_some(3);
  run();
  write("p1.png", {'x'});
  const IndexRunReport report = run();
  EXPECT_EQ(report.skipped.size(), 1U);
  EXPECT_EQ(report.newly_skipped.size(), 1U);
  EXPECT_EQ(report.removed, 1U);
  EXPECT_EQ(report.roots[0].files, 2U);
  EXPECT_EQ(index().counts().images, 2U);
  EXPECT_EQ(index().quarantine().size(), 1U);
  const IndexRunReport next = run();
  EXPECT_EQ(next.removed, 0U);
  EXPECT_TRUE(next.newly_skipped.empty());
}

TEST_F(IndexRunTest, FileThatBecomesUnusableAfterItWasCopiedHasMoved) {
  draw_some(3);
  run();
  fs::copy_file(photos() / "p1.png", photos() / "copy.png");
  write("p1.png", {'x'});
  const IndexRunReport report = run();
  EXPECT_EQ(report.moved, 1U);
  EXPECT_EQ(report.indexed + report.removed, 0U);
  EXPECT_THAT(paths_of(photos() / "copy.png"), ElementsAre(photos() / "copy.png"));
  EXPECT_EQ(index().quarantine().size(), 1U);
}

TEST_F(IndexRunTest, AStoppedRunLeavesFilesThatBecameUnusable) {
  draw_some(3);
  run();
  write("p1.png", {});
  draw("q.png", 50);
  EXPECT_TRUE(run_stopped(1).stopped);
  EXPECT_TRUE(index().find(photos() / "p1.png"));
  EXPECT_EQ(run().removed, 1U);
}

// As when the disk to which links lead is not mounted.
TEST_F(IndexRunTest, ImagesOfAFolderWhoseLinksAllBreakStay) {
  for (int i = 0; i < 3; ++i) {
    const std::string name = fmt::format("p{}.png", i);
    folder_.write("disk/" + name, text(encode(".png", draw_picture(160, 120, i))));
    fs::create_symlink("../disk/" + name, photos() / name);
  }
  run();
  fs::rename(folder_ / "disk", folder_ / "away");
  const IndexRunReport report = run();
  EXPECT_EQ(report.withheld, 3U);
  EXPECT_EQ(report.removed, 0U);
  EXPECT_EQ(index().counts().images, 3U);
  fs::rename(folder_ / "away", folder_ / "disk");
  EXPECT_EQ(run().unchanged, 3U);
  EXPECT_EQ(index().counts().withheld, 0U);
}

// Of first runs, which extract a sample, and of later ones.
TEST_F(IndexRunTest, DamagedJpegFilesAreIndexedAndNamed) {
  for (const char* name : {"first.jpg", "later.jpg"}) {
    draw_some(3);
    std::vector<std::uint8_t> jpeg = encode(".jpg", draw_picture(160, 120, 9));
    std::fill_n(jpeg.begin() + static_cast<std::ptrdiff_t>(jpeg.size() / 2), 30, name[0]);
    const std::string path = write(name, jpeg);
    const IndexRunReport report = run();
    ASSERT_EQ(report.damaged.size(), 1U) << name;
    EXPECT_EQ(report.damaged.front().file.path, path);
    EXPECT_THAT(report.damaged.front().detail, testing::StartsWith("libjpeg: "));
    EXPECT_TRUE(index().find(path));
    EXPECT_TRUE(run().damaged.empty());
  }
}

// Enlarged, its edges are too faint for a feature.
TEST_F(IndexRunTest, ImagesOfWhichNothingIsExtractedAreCounted) {
  draw_some(3);
  cv::Mat ramp(48, 48, CV_8U);
  for (int x = 0; x < ramp.cols; ++x) ramp.col(x).setTo(5 * x);
  write("ramp.png", encode(".png", ramp));
  const IndexRunReport report = run();
  EXPECT_EQ(report.featureless, 1U);
  EXPECT_EQ(report.blank, 0U);
  EXPECT_EQ(run().featureless, 0U);
}

TEST_F(IndexRunTest, ImageOfLittleVarianceIsRecordedAsBlank) {
  draw_some(3);
  config_.extract.enlarge_to_px = 100;
  const std::string path =
      write("gray.png", encode(".png", cv::Mat(80, 80, CV_8U, cv::Scalar(90))));
  EXPECT_EQ(run().blank, 1U);
  const IndexReader reader = index();
  const auto image = reader.image(*reader.find(path));
  EXPECT_TRUE(image->blank);
  const std::uint64_t side = config_.extract.enlarge_to_px;  // sums are of what was extracted from
  EXPECT_EQ(image->sums, (PixelSums{side * side, side * side * 90, side * side * 8100}));
  EXPECT_EQ(reader.counts().blank, 1U);
}

TEST_F(IndexRunTest, FolderWithoutImagesIsAnInputError) {
  folder_.write("photos/notes.txt", "no image");
  EXPECT_EQ(error().kind(), ErrorKind::kInput);
  EXPECT_THAT(error().what(), HasSubstr(fmt::format("no images under {}", photos().native())));
}

TEST_F(IndexRunTest, NothingButUnusableFilesIsAnInputErrorThatNamesOne) {
  write("words.jpg", {'t', 'e', 'x', 't'});
  write("gray.png", encode(".png", cv::Mat(80, 80, CV_8U, cv::Scalar(90))));
  EXPECT_EQ(error().kind(), ErrorKind::kInput);
  EXPECT_THAT(error().what(), HasSubstr("1 are blank, 1 cannot be read"));
  EXPECT_THAT(error().what(), HasSubstr("words.jpg: undecodable"));
}

}  // namespace
}  // namespace lookalike
