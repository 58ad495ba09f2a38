#include "tools/index/index_run.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "pipeline/error.h"
#include "storage/index_reader.h"
#include "tests/stages/pictures.h"
#include "tests/temporary_folder.h"
#include "tools/calibrate/calibrate_index.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class IndexRunTest : public ::testing::Test {
 protected:
  IndexRunTest() {
    config_.images.folders = {photos().native()};
    config_.store.database = folder_.path() / "index.db";
    config_.images.decode_threads = 2;
    config_.device.choice = ":CPU:";
    fs::create_directory(photos());
  }

  fs::path photos() const { return folder_.path() / "photos"; }
  std::string write(const std::string& name, const std::vector<std::uint8_t>& bytes) const {
    return folder_.write(fmt::format("photos/{}", name), text(bytes));
  }
  std::string draw(const std::string& name, unsigned seed) const {
    return write(name, encode(".png", draw_picture(160, 120, seed)));
  }
  void draw_some(unsigned count) const {
    for (unsigned i = 0; i < count; ++i) draw(fmt::format("p{}.png", i), i);
  }

  IndexRunReport run() const { return run_index(config_, Progress::Style::kQuiet); }
  // The digest of a new index made under the configuration.
  std::string fresh_content() const {
    fs::remove_all(config_.store.database);
    run();
    return index().content_hash();
  }
  // Stops when asked for the `count`th time.
  IndexRunReport run_stopped_at(std::ptrdiff_t count) const {
    return run_index(config_, Progress::Style::kQuiet, [=]() mutable { return --count <= 0; });
  }
  // The same, but counts from the end of the scan, which asks at each file.
  IndexRunReport run_stopped(std::ptrdiff_t count) const {
    return run_stopped_at(std::distance(fs::directory_iterator(photos()), {}) + count);
  }
  IndexReader index() const { return IndexReader(config_.store.database); }
  std::vector<std::string> paths_of(const std::string& path) const {
    const IndexReader reader = index();
    const auto id = reader.find(path);
    return id ? reader.image(*id)->paths : std::vector<std::string>();
  }
  Error error() const {
    try {
      run();
    } catch (const Error& error) {
      return error;
    }
    return {ErrorKind::kInternal, "no error"};
  }

  TemporaryFolder folder_;
  RunConfig config_;
};

TEST_F(IndexRunTest, FirstRunTrainsAndIndexesEverything) {
  draw_some(5);
  const IndexRunReport report = run();
  EXPECT_EQ(report.indexed, 5U);
  EXPECT_GE(report.trained_words, 64U);
  EXPECT_FALSE(report.device.empty());
  const IndexCounts counts = index().counts();
  EXPECT_EQ(counts.images, 5U);
  EXPECT_GT(counts.features, 150U);
  EXPECT_EQ(counts.words, report.trained_words);
  EXPECT_FALSE(fs::exists(config_.store.database + ".work"));
}

TEST_F(IndexRunTest, ContentDependsNeitherOnThreadsNorOnBatches) {
  draw_some(20);
  const std::string content = fresh_content();
  EXPECT_EQ(fresh_content(), content);
  config_.images.decode_threads = 5;
  config_.store.batch_images = 3;
  EXPECT_EQ(fresh_content(), content);
}

TEST_F(IndexRunTest, SampleSmallerThanTheCollectionIsTheSameHoweverItIsIndexed) {
  draw_some(20);
  config_.codebook.sample_images = 4;
  const std::string content = fresh_content();
  EXPECT_EQ(index().counts().images, 20U);
  config_.images.decode_threads = 1;
  EXPECT_EQ(fresh_content(), content);
  config_.codebook.sample_images = 3;
  EXPECT_NE(fresh_content(), content);
}

TEST_F(IndexRunTest, SecondRunTouchesNothing) {
  draw_some(3);
  run();
  const std::string content = index().content_hash();
  const IndexRunReport report = run();
  EXPECT_EQ(report.indexed, 0U);
  EXPECT_EQ(report.unchanged, 3U);
  EXPECT_EQ(report.device, "");
  EXPECT_EQ(report.trained_words, 0U);
  EXPECT_EQ(index().content_hash(), content);
}

TEST_F(IndexRunTest, NewChangedAndRemovedFilesAreFollowed) {
  draw_some(4);
  run();
  draw("new.png", 100);
  draw("p0.png", 101);
  fs::remove(photos() / "p1.png");
  const IndexRunReport report = run();
  EXPECT_EQ(report.indexed, 2U);
  EXPECT_EQ(report.unchanged, 2U);
  EXPECT_EQ(report.removed, 1U);
  EXPECT_EQ(index().counts().images, 4U);
  EXPECT_THAT(paths_of(photos() / "p1.png"), IsEmpty());
}

TEST_F(IndexRunTest, RenamedFileKeepsItsImage) {
  draw_some(3);
  run();
  const auto before = index().find(photos() / "p1.png");
  fs::rename(photos() / "p1.png", photos() / "a.png");
  const IndexRunReport report = run();
  EXPECT_EQ(report.indexed, 1U);
  EXPECT_EQ(report.removed, 1U);
  EXPECT_EQ(index().find(photos() / "a.png"), before);
  EXPECT_THAT(paths_of(photos() / "a.png"), ElementsAre(photos() / "a.png"));
}

TEST_F(IndexRunTest, FilesWithTheSameBytesShareAnImage) {
  draw_some(2);
  draw("copy.png", 0);
  const IndexRunReport report = run();
  EXPECT_EQ(report.indexed, 3U);
  EXPECT_EQ(index().counts().images, 2U);
  EXPECT_THAT(paths_of(photos() / "copy.png"),
              ElementsAre(photos() / "copy.png", photos() / "p0.png"));
}

TEST_F(IndexRunTest, ContentThatWandersFromOneFileToAnotherStays) {
  draw_some(3);
  run();
  draw("p0.png", 50);
  draw("z.png", 0);  // what p0.png was
  run();
  EXPECT_EQ(index().counts().images, 4U);
  EXPECT_GT(index().features(*index().find(photos() / "z.png")).size(), 20U);
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
    std::vector<std::pair<std::string, std::string>> reasons;
    for (const SkippedFile& file : report.skipped) {
      reasons.emplace_back(fs::path(file.file.path).filename(), file.reason);
    }
    EXPECT_THAT(
        reasons,
        ElementsAre(std::pair("broken.jpg", "unreadable"), std::pair("cut.jpg", "undecodable"),
                    std::pair("empty.jpg", "empty"), std::pair("one.png", "too_small"),
                    std::pair("words.jpg", "undecodable")));
    EXPECT_EQ(report.indexed, i == 0 ? 3U : 0U);
  }
  EXPECT_EQ(index().quarantine().size(), 5U);
}

TEST_F(IndexRunTest, FileThatBecomesUnusableLeavesTheIndex) {
  draw_some(3);
  run();
  write("p1.png", {'x'});
  EXPECT_EQ(run().skipped.size(), 1U);
  EXPECT_EQ(index().counts().images, 2U);
}

TEST_F(IndexRunTest, ImageOfLittleVarianceIsRecordedAsBlank) {
  draw_some(3);
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

TEST_F(IndexRunTest, OtherSettingsAreRefusedAndNamed) {
  draw_some(2);
  run();
  config_.extract.octaves = 3;
  const Error refused = error();
  EXPECT_EQ(refused.kind(), ErrorKind::kUsage);
  EXPECT_THAT(refused.what(), HasSubstr("extract.octaves"));
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

TEST_F(IndexRunTest, TooFewFeaturesForTheWordsAskedForIsAnInputError) {
  draw_some(2);
  config_.codebook.words = 100'000;
  EXPECT_EQ(error().kind(), ErrorKind::kInput);
  EXPECT_THAT(error().what(), HasSubstr("too few features for 100000 words"));
  EXPECT_FALSE(fs::exists(config_.store.database + ".work"));
}

TEST_F(IndexRunTest, StoppedRunPublishesWhatIsDoneAndTheNextOneGoesOn) {
  draw_some(60);
  config_.codebook.sample_images = 40;
  const std::string content = fresh_content();
  fs::remove_all(config_.store.database);
  std::vector<std::uint64_t> images;
  // While it ranks the files, extracts the sample, trains, and indexes the rest.
  for (int count = 1; run_stopped(count).stopped; count += 1 + count / 2) {
    images.push_back(index().counts().images);
  }
  EXPECT_GT(images.size(), 4U);
  EXPECT_TRUE(std::ranges::is_sorted(images));
  EXPECT_EQ(index().content_hash(), content);
}

TEST_F(IndexRunTest, RunThatIsStoppedWhileItScansLeavesTheIndexAsItWas) {
  draw_some(5);
  run();
  const std::string content = index().content_hash();
  fs::remove(photos() / "p1.png");
  draw("new.png", 100);
  for (int count = 1; count <= 5; ++count) {
    const IndexRunReport report = run_stopped_at(count);
    EXPECT_TRUE(report.stopped);
    EXPECT_EQ(report.after.images, 5U);
    EXPECT_EQ(index().runs(1)[0].outcome, "stopped");
  }
  EXPECT_EQ(index().content_hash(), content);
}

TEST_F(IndexRunTest, StoppedFirstRunSaysWhereItRan) {
  draw_some(20);
  EXPECT_TRUE(run_stopped(1).stopped);
  const RunRecord record = index().runs(1)[0];
  EXPECT_EQ(record.outcome, "stopped");
  const auto document = nlohmann::json::parse(record.document);
  EXPECT_FALSE(document["device"].get<std::string>().empty());
}

TEST_F(IndexRunTest, CalibrationCanBeStoppedAndIsMadeUpForByTheNextRun) {
  draw_some(45);
  const auto is_calibrated = [&] { return !is_calibration_due(index()); };
  int count = 1;
  do {
    ++count;
    ASSERT_TRUE(run_stopped(count).stopped);
  } while (index().counts().images < 45);
  EXPECT_TRUE(run_stopped(5).stopped);
  EXPECT_FALSE(is_calibrated());
  EXPECT_FALSE(run().stopped);
  EXPECT_TRUE(is_calibrated());
}

TEST_F(IndexRunTest, RunUnderOtherSettingsKeepsWhatWasExtracted) {
  draw_some(40);
  config_.codebook.sample_images = 20;
  const fs::path work = config_.store.database + ".work";
  for (int count = 2; !fs::exists(config_.store.database) || index().counts().words == 0; ++count) {
    ASSERT_TRUE(run_stopped(count).stopped);
  }
  ASSERT_TRUE(fs::exists(work));
  const auto files = [&] { return std::distance(fs::directory_iterator(work), {}); };
  const auto before = files();
  EXPECT_GT(before, 0);
  config_.extract.octaves = 3;
  EXPECT_EQ(error().kind(), ErrorKind::kUsage);
  EXPECT_EQ(files(), before);
}

TEST_F(IndexRunTest, StoppedRunRemovesNothing) {
  draw_some(20);
  run();
  fs::remove(photos() / "p1.png");
  draw("new.png", 100);
  const IndexRunReport report = run_stopped(1);
  EXPECT_TRUE(report.stopped);
  EXPECT_EQ(report.indexed, 1U);
  EXPECT_TRUE(index().find(photos() / "p1.png"));
  EXPECT_EQ(run().removed, 1U);
}

TEST_F(IndexRunTest, EachRunIsRecordedWithWhatItDid) {
  draw_some(3);
  run();
  draw("new.png", 100);
  fs::remove(photos() / "p1.png");
  write("words.jpg", {'t', 'e', 'x', 't'});
  run_stopped(1);
  config_.extract.octaves = 3;
  EXPECT_EQ(error().kind(), ErrorKind::kUsage);

  const std::vector<RunRecord> runs = index().runs(10);
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0].outcome, "failed");
  EXPECT_THAT(runs[0].document, HasSubstr("extract.octaves"));
  EXPECT_EQ(runs[1].outcome, "stopped");
  EXPECT_EQ(runs[2].outcome, "done");
  EXPECT_EQ(runs[2].command, "index");
  EXPECT_GT(runs[2].elapsed_seconds, 0);
  const auto second = nlohmann::json::parse(runs[1].document);
  EXPECT_EQ(second["files"], nlohmann::json::parse(R"({"indexed": 1, "unchanged": 2,
                                                       "removed": 0, "skipped": 1})"));
  EXPECT_EQ(second["skipped_by_reason"]["undecodable"], 1);
  EXPECT_EQ(second["index"]["before"]["images"], 3);
  EXPECT_EQ(second["index"]["after"]["images"], 4);
  EXPECT_GT(second["busy_seconds"]["extract"], 0);
  EXPECT_GT(second["peak_memory_bytes"], 1'000'000);
  EXPECT_FALSE(second["device"].get<std::string>().empty());
}

TEST_F(IndexRunTest, DeviceWithoutRoomStopsTheRunWhereToldTo) {
  draw_some(2);
  write("large.png", encode(".png", draw_picture(1024, 1024, 7)));
  config_.device.memory_limit_mib = 1;
  config_.device.on_out_of_memory = "stop";
  EXPECT_EQ(error().kind(), ErrorKind::kDevice);
}

}  // namespace
}  // namespace lookalike
