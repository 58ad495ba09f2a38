#include "pipeline/index/retrain.h"

#include <filesystem>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "pipeline/index/removals.h"
#include "storage/index_check.h"
#include "storage/index_reader.h"
#include "storage/index_writer.h"
#include "storage/sqlite.h"
#include "tests/stages/pictures.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

class RetrainTest : public ::testing::Test {
 protected:
  explicit RetrainTest(unsigned images = 16) : images_(images) {
    config_.images.folders = {folder_.path() / "photos"};
    config_.store.database = folder_.path() / "index.db";
    config_.device.choice = ":CPU:";
    config_.extract.enlarge_to_px = 0;
    draw(0, 5);
    run_index(config_, Progress::Style::kQuiet);
    old_content_ = content();
    draw(5, images_);
  }

  void draw(unsigned first, unsigned end) const {
    for (unsigned i = first; i < end; ++i) {
      const auto bytes = encode(".png", draw_picture(160, 120, i));
      folder_.write(fmt::format("photos/p{}.png", i), text(bytes));
    }
  }
  std::filesystem::path photos() const { return folder_.path() / "photos"; }
  // Stops at the `count`th request after the scan.
  IndexRunReport retrain(std::ptrdiff_t count = 1'000'000) const {
    count += std::distance(std::filesystem::directory_iterator(photos()), {});
    return retrain_index(config_, Progress::Style::kQuiet, [=]() mutable { return --count <= 0; });
  }
  std::uint64_t images_beside() const {
    const std::string beside = config_.store.database + ".retrain";
    return std::filesystem::exists(beside) ? IndexReader(beside).counts().images : 0;
  }
  std::set<std::string> files() const {
    std::set<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator(photos())) {
      paths.insert(entry.path());
    }
    return paths;
  }
  std::set<std::string> indexed_files() const {
    std::set<std::string> paths;
    IndexReader(config_.store.database).for_each_image([&](const StoredImage& image) {
      paths.insert(image.paths.begin(), image.paths.end());
    });
    return paths;
  }
  std::string content() const { return IndexReader(config_.store.database).content_hash(); }
  // Returns the content hash of a new index.
  std::string fresh_content() const {
    RunConfig config = config_;
    config.store.database += ".fresh";
    run_index(config, Progress::Style::kQuiet);
    return IndexReader(config.store.database).content_hash();
  }

  const unsigned images_;
  TemporaryFolder folder_;
  RunConfig config_;
  std::string old_content_;
};

// An index with enough images for several batches.
class HalfMadeRetrainTest : public RetrainTest {
 protected:
  HalfMadeRetrainTest() : RetrainTest(60) { config_.codebook.sample_images = 20; }
  // Stops when more images than may leave, but not all, are in DATABASE.retrain.
  void stop_half_way() const {
    const std::string beside = config_.store.database + ".retrain";
    const auto is_trained = [&] {
      return std::filesystem::exists(beside) && IndexReader(beside).counts().words > 0;
    };
    while (images_beside() <= 5 + kFewRemovals) {
      int requests = 0;  // after the training
      const auto stops = [&] { return (requests > 0 || is_trained()) && ++requests > 1; };
      ASSERT_TRUE(retrain_index(config_, Progress::Style::kQuiet, stops).stopped);
    }
    ASSERT_LT(images_beside(), images_);
  }
};

TEST_F(RetrainTest, IndexBecomesWhatANewOneWouldBe) {
  const IndexRunReport report = retrain();
  EXPECT_EQ(content(), fresh_content());
  EXPECT_EQ(report.before.images, 5U);
  EXPECT_EQ(report.after.images, images_);
  EXPECT_GT(report.trained_words, 0U);
  EXPECT_TRUE(check_index(config_.store.database).empty());
  EXPECT_FALSE(std::filesystem::exists(config_.store.database + ".retrain"));
  const std::vector<RunRecord> runs = IndexReader(config_.store.database).runs(2);
  EXPECT_EQ(runs[0].command, "retrain");
  EXPECT_EQ(runs[0].outcome, "good");
  EXPECT_EQ(runs[1].command, "index");
}

TEST_F(HalfMadeRetrainTest, StoppedOneLeavesTheIndexAndIsGoneOnWith) {
  stop_half_way();
  const std::uint64_t done = images_beside();
  EXPECT_EQ(content(), old_content_);
  const IndexRunReport report = retrain();
  EXPECT_FALSE(report.stopped);
  EXPECT_EQ(report.unchanged, done);
  EXPECT_EQ(report.indexed, images_ - done);
  EXPECT_EQ(content(), fresh_content());
}

TEST_F(HalfMadeRetrainTest, WhatIsHalfMadeSurvivesAMistakeInTheConfiguration) {
  stop_half_way();
  const std::uint64_t done = images_beside();
  const std::string device = std::exchange(config_.device.choice, "none such");
  EXPECT_THROW(retrain(), Error);
  EXPECT_EQ(images_beside(), done);
  config_.device.choice = device;
  EXPECT_EQ(retrain().unchanged, done);
}

TEST_F(HalfMadeRetrainTest, HalfMadeOneIsBroughtUpToDate) {
  stop_half_way();
  for (const unsigned gone : {7U, 30U, 58U}) {
    std::filesystem::remove(photos() / fmt::format("p{}.png", gone));
  }
  draw(images_, images_ + 2);
  folder_.write("photos/p9.png", text(encode(".png", draw_picture(160, 120, 100))));
  EXPECT_FALSE(retrain().stopped);
  EXPECT_EQ(indexed_files(), files());
  EXPECT_TRUE(check_index(config_.store.database).empty());
}

TEST_F(HalfMadeRetrainTest, HalfMadeOneMayLoseMostOfWhatItHas) {
  stop_half_way();
  const std::uint64_t done = images_beside();
  for (unsigned i = 5; i < images_; ++i) {  // the old index has those before
    std::filesystem::remove(photos() / fmt::format("p{}.png", i));
  }
  ASSERT_GT(done, 5 + kFewRemovals) << "as many as would be withheld";
  EXPECT_FALSE(retrain().stopped);
  EXPECT_EQ(indexed_files(), files());
}

// A link to a name that is too long cannot be followed; it acts like a vanished share.
TEST_F(RetrainTest, ImagesInAFolderThatIsOutOfReachAreNotLost) {
  const std::filesystem::path folder = photos() / "trip.png";
  const std::string photo =
      folder_.write("photos/trip.png/a.png", text(encode(".png", draw_picture(160, 120, 200))));
  run_index(config_, Progress::Style::kQuiet);
  std::filesystem::rename(folder, folder_.path() / "trip");
  std::filesystem::create_symlink(std::string(300, 'n'), folder);
  try {
    retrain();
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("trip.png: File name too long, and"));
  }
  EXPECT_TRUE(IndexReader(config_.store.database).find(photo));
  std::filesystem::remove(folder);
  std::filesystem::rename(folder_.path() / "trip", folder);
  EXPECT_EQ(retrain().unchanged, images_);
  EXPECT_TRUE(IndexReader(config_.store.database).find(photo));
}

TEST_F(RetrainTest, LinkInThePlaceOfTheIndexBesideIsRefused) {
  const std::string other = folder_.write("other.db", "");
  std::filesystem::create_symlink(other, config_.store.database + ".retrain");
  EXPECT_THROW(retrain(), Error);
  EXPECT_EQ(std::filesystem::file_size(other), 0U);
}

class ForeignRetrainTest : public RetrainTest {
 protected:
  ForeignRetrainTest() : RetrainTest(6) {}

  void expect_refusal() const {
    try {
      retrain();
      FAIL() << "expected an error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kStorage);
      EXPECT_THAT(error.what(), ::testing::HasSubstr(name_));
    }
    EXPECT_EQ(content(), old_content_);
  }

  const std::string name_ = "index.db.retrain";
};

TEST_F(ForeignRetrainTest, AFolderInThePlaceOfTheIndexBesideStays) {
  const std::string file = folder_.write(name_ + "/precious/a.txt", "mine");
  expect_refusal();
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST_F(ForeignRetrainTest, AFileInThePlaceOfTheIndexBesideStays) {
  const std::string file = folder_.write(name_, "my notes");
  expect_refusal();
  EXPECT_EQ(std::filesystem::file_size(file), 8U);
}

TEST_F(ForeignRetrainTest, AnIndexThatAnotherCommandMadeStays) {
  std::filesystem::copy_file(config_.store.database, folder_.path() / name_);
  expect_refusal();
  EXPECT_EQ(IndexReader(folder_.path() / name_).content_hash(), old_content_);
}

TEST_F(ForeignRetrainTest, WhatLiesInTheWorkFolderBesideStays) {
  { const IndexWriter writer(folder_.path() / name_); }
  const std::string file = folder_.write(name_ + ".work/precious.txt", "mine");
  expect_refusal();
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST_F(RetrainTest, WhatWasSwappedInAlreadyIsNotTakenForAHalfMadeOne) {
  retrain();
  const std::string beside = config_.store.database + ".retrain";
  std::filesystem::copy_file(config_.store.database, beside);
  Connection(beside, Connection::Mode::kWrite).execute("DELETE FROM runs WHERE command = 'index'");
  draw(images_, images_ + 5);
  retrain();
  EXPECT_EQ(content(), fresh_content());
}

TEST_F(RetrainTest, OtherSettingsAreTakenOver) {
  retrain(9);
  config_.extract.octaves = 3;
  retrain();
  EXPECT_EQ(IndexReader(config_.store.database).settings().at("extract.octaves"), "3");
  EXPECT_EQ(content(), fresh_content());
}

TEST_F(RetrainTest, AnIndexMadeBeforeAKeyIsMovedToItsDefaultThoughOneBesideWasNot) {
  RunConfig beside = config_;
  beside.extract.max_interval = 0;
  beside.store.database += ".retrain";
  run_index(beside, Progress::Style::kQuiet, [] { return false; }, {.command = "retrain"});
  retrain();
  EXPECT_EQ(IndexReader(config_.store.database).settings().at("extract.max_interval"), "2");
  EXPECT_EQ(content(), fresh_content());
}

TEST_F(RetrainTest, OneThatFailsLeavesTheIndex) {
  config_.codebook.words = 100'000;
  EXPECT_THROW(retrain(), Error);
  EXPECT_EQ(content(), old_content_);
  EXPECT_EQ(IndexReader(config_.store.database).runs(1)[0].outcome, "failed");
}

TEST_F(RetrainTest, IndexThatIsNotThereIsAnInputError) {
  config_.store.database += ".none";
  EXPECT_THROW(retrain(), Error);
  EXPECT_FALSE(std::filesystem::exists(config_.store.database));
}

}  // namespace
}  // namespace lookalike
