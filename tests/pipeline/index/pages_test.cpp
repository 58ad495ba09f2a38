// Files of several pages.

#include <cstdint>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/page_name.h"
#include "storage/index_check.h"
#include "tests/pipeline/index/index_run_fixture.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Pages : public IndexRunTest {
 protected:
  static cv::Mat page(unsigned seed) { return draw_picture(160, 120, seed); }
  std::string scan(const std::vector<unsigned>& seeds, const std::string& name = "scan.tif") const {
    std::vector<cv::Mat> pages;
    for (const unsigned seed : seeds) pages.push_back(page(seed));
    return write(name, encode_pages(pages));
  }
  // Draws three images and a file of 30 pages, which runs index one by one.
  void draw_long_scan() {
    draw_some(3);
    std::vector<unsigned> pages(30);
    std::iota(pages.begin(), pages.end(), 10U);
    scan(pages, "q.tif");
    config_.codebook.sample_images = 3;
    config_.store.batch_images = 1;
  }
  // Returns the numbers of a file's indexed pages.
  std::vector<std::uint32_t> indexed(const std::string& file) const {
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t number = 1; number < 10; ++number) {
      if (index().find(page_name(file, number))) numbers.push_back(number);
    }
    return numbers;
  }
};

TEST_F(Pages, AreIndexedOneByOneOnce) {
  draw_some(3);
  const std::string file = scan({10, 11, 12});
  const IndexRunReport report = run();
  EXPECT_EQ(report.indexed, 4U) << "files";
  EXPECT_EQ(report.after.images, 6U);
  EXPECT_EQ(report.after.files, 4U);
  EXPECT_THAT(paths_of(file + "[2]"), ElementsAre(file + "[2]"));
  const StoredImage second = index().image(*index().find(file + "[2]")).value();
  EXPECT_EQ(second.page, 2U);
  EXPECT_EQ(second.pages, 3U);
  EXPECT_GT(second.feature_count, 0U);
  EXPECT_EQ(run().unchanged, 4U);
  EXPECT_THAT(check_index(config_.store.database), IsEmpty());
}

TEST_F(Pages, DoNotDependOnWhetherTheirFileIsInTheSample) {
  draw_some(8);
  scan({10, 11, 12}, "a.tif");
  scan({13, 14}, "q.tif");
  config_.codebook.words = 16;
  std::vector<std::size_t> images;
  for (const unsigned sample : {2U, 5U, 100U}) {
    config_.codebook.sample_images = sample;
    fs::remove_all(config_.store.database);
    EXPECT_EQ(run().indexed, 10U);
    images.push_back(index().counts().images);
    EXPECT_EQ(run().unchanged, 10U);
  }
  EXPECT_THAT(images, ElementsAre(13U, 13U, 13U));
}

TEST_F(Pages, FollowTheirFile) {
  draw_some(3);
  const std::string file = scan({10, 11, 12});
  run();
  scan({10, 13});
  EXPECT_EQ(run().indexed, 1U);
  EXPECT_THAT(indexed(file), ElementsAre(1U, 2U));
  EXPECT_EQ(index().counts().images, 5U);

  const std::string copy = scan({10, 13}, "copy.tif");
  run();
  EXPECT_THAT(paths_of(file + "[2]"), ElementsAre(copy + "[2]", file + "[2]"));
  fs::remove(file);
  run();
  EXPECT_THAT(paths_of(copy + "[2]"), ElementsAre(copy + "[2]"));
  fs::rename(copy, photos() / "moved.tif");
  run();
  EXPECT_THAT(indexed(photos() / "moved.tif"), ElementsAre(1U, 2U));
  fs::remove(photos() / "moved.tif");
  run();
  EXPECT_EQ(index().counts().images, 3U);
  EXPECT_THAT(check_index(config_.store.database), IsEmpty());
}

TEST_F(Pages, ThatAStoppedRunDidNotReachComeWithTheNextOne) {
  draw_long_scan();
  const std::string content = fresh_content();
  fs::remove_all(config_.store.database);
  bool was_within_the_file = false;
  for (int count = 1; run_stopped(count).stopped; ++count) {
    const std::uint64_t images = index().counts().images;
    was_within_the_file |= images > 4 && images < 33;
  }
  EXPECT_TRUE(was_within_the_file);
  EXPECT_EQ(index().content_hash(), content);
  EXPECT_EQ(run().unchanged, 4U);
}

TEST_F(Pages, CountTheirFileAsIndexedByTheRunThatReachesTheLast) {
  draw_long_scan();
  for (int count = 1; run_stopped(count).stopped && index().counts().images <= 4;) ++count;
  ASSERT_LT(index().counts().images, 33U);
  EXPECT_EQ(run().indexed, 1U);
}

TEST_F(Pages, ThatCannotBeReadAreSetAsideAlone) {
  draw_some(3);
  const std::string file =
      write("scan.tif", encode_pages({page(10), cv::Mat(8, 8, CV_8U, cv::Scalar(9)), page(11)}));
  for (int i = 0; i < 2; ++i) {
    const IndexRunReport report = run();
    ASSERT_EQ(report.skipped.size(), 1U);
    EXPECT_EQ(report.skipped[0].file.path, file + "[2]");
    EXPECT_EQ(report.skipped[0].reason, "too_small");
    EXPECT_EQ(report.unchanged, i == 0 ? 0U : 3U) << "the file is tried again";
    EXPECT_EQ(report.indexed, i == 0 ? 3U : 0U);
    EXPECT_THAT(indexed(file), ElementsAre(1U, 3U));
  }
  EXPECT_THAT(check_index(config_.store.database), IsEmpty());
  scan({10, 12, 11});
  EXPECT_THAT(run().skipped, IsEmpty());
  EXPECT_THAT(index().quarantine(), IsEmpty());
  EXPECT_THAT(indexed(file), ElementsAre(1U, 2U, 3U));
}

TEST_F(Pages, OfAFileWhoseFirstOneCannotBeReadAreNotIndexed) {
  draw_some(3);
  const std::string file =
      write("scan.tif", encode_pages({cv::Mat(8, 8, CV_8U, cv::Scalar(9)), page(10)}));
  const IndexRunReport report = run();
  ASSERT_EQ(report.skipped.size(), 1U);
  EXPECT_EQ(report.skipped[0].file.path, file);
  EXPECT_EQ(report.skipped[0].reason, "too_small");
  EXPECT_THAT(indexed(file), IsEmpty());
}

TEST_F(Pages, ThatWereSetAsideLeaveWithTheirFile) {
  draw_some(3);
  const std::string file =
      write("scan.tif", encode_pages({page(10), cv::Mat(8, 8, CV_8U, cv::Scalar(9))}));
  run();
  ASSERT_EQ(index().quarantine().size(), 1U);
  write("scan.tif", {'x'});
  run();
  ASSERT_EQ(index().quarantine().size(), 1U);
  EXPECT_EQ(index().quarantine()[0].file.path, file);
}

TEST_F(Pages, OfATooLongFileAreNotRead) {
  draw_some(3);
  const std::string file = scan({10, 11, 12});
  config_.images.max_pages = 2;
  ASSERT_EQ(run().skipped.size(), 1U);
  EXPECT_THAT(indexed(file), IsEmpty());
  config_.images.max_pages = 3;
  EXPECT_THAT(run().skipped, IsEmpty());
  EXPECT_THAT(indexed(file), ElementsAre(1U, 2U, 3U));
}

TEST_F(Pages, AFileWithTheNameOfAPageIsRefused) {
  draw_some(3);
  const std::string file = folder_.write("odd[2]", text(encode(".png", page(20))));
  const IndexRunReport report =
      run_index(config_, Progress::Style::kQuiet, [] { return false; }, {.lone_files = {file}});
  ASSERT_EQ(report.skipped.size(), 1U);
  EXPECT_EQ(report.skipped[0].reason, "page_name");
}

}  // namespace
}  // namespace lookalike
