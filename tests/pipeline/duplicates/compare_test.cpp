#include "pipeline/duplicates/compare.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>

#include "pipeline/index/index_run.h"
#include "tests/stages/pictures.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

// An index of three pictures, each in three qualities. The tests of a suite share it; one that
// changes it says so, and the next makes another.
class PairSearchTest : public testing::Test {
 protected:
  void SetUp() override {
    const bool is_new = !folder_;
    if (is_new) folder_ = std::make_unique<TemporaryFolder>();
    config_.images.folders = {photos()};
    config_.store.database = folder_->path() / "index.db";
    config_.device.choice = ":CPU:";
    config_.graph.enabled = false;  // comparing does not use it
    if (!is_new) return;
    std::filesystem::create_directory(photos());
    draw();
    index();
  }
  static void TearDownTestSuite() { folder_.reset(); }

  virtual void draw() const {
    for (int quality : {95, 80, 60}) add(quality);
  }
  void index() const { run_index(config_, Progress::Style::kQuiet); }
  // Indexes what the test has changed.
  void index_changes() {
    is_changed_ = true;
    index();
  }
  void TearDown() override {
    if (is_changed_) folder_.reset();
  }
  static std::string photos() { return folder_->path() / "photos"; }
  static void add(int quality) {
    for (unsigned i = 0; i < 3; ++i) {
      cv::imwrite(fmt::format("{}/{}-{}.jpg", photos(), i, quality), draw_picture(320, 240, i + 1),
                  {cv::IMWRITE_JPEG_QUALITY, quality});
    }
  }

  // Compares at most `most` pending images and returns their number.
  std::size_t compare(PairState& state, std::size_t most = 1000, const Scope& scope = {}) {
    const IndexReader index(std::filesystem::path(config_.store.database));
    const std::vector<IndexedImage> images = indexed_images(index, scope);
    adopt_images(images, state);
    PairSearch search(images, rules_, state);
    Searcher searcher(index, config_);
    std::size_t compared = 0;
    search.run(index, searcher, [&](std::size_t done) {
      compared = done;
      return done < most;
    });
    return compared;
  }
  static Bytes bytes_of(const PairState& state) { return encode_pairs(state, {}); }
  // Expects that a search that is stopped after these numbers of images ends as a whole one.
  // Returns the number of images that were compared last.
  std::size_t expect_resumed(const std::vector<std::size_t>& stops) {
    PairState whole;
    compare(whole);
    PairState stopped;
    for (const std::size_t images : stops) EXPECT_EQ(compare(stopped, images), images);
    const std::size_t last = compare(stopped);
    EXPECT_EQ(bytes_of(stopped), bytes_of(whole));
    EXPECT_EQ(compare(stopped), 0U);
    return last;
  }

  static inline std::unique_ptr<TemporaryFolder> folder_;
  RunConfig config_;
  PairSearch::Rules rules_;
  bool is_changed_ = false;
};

TEST_F(PairSearchTest, VerifiesEachPairOnce) {
  PairState state;
  EXPECT_EQ(compare(state), 9U);
  EXPECT_EQ(state.pairs.size(), 6U);  // two copies of each picture
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const FoundPair& pair : state.pairs) pairs.emplace_back(pair.first, pair.second);
  std::ranges::sort(pairs);
  EXPECT_EQ(std::ranges::adjacent_find(pairs), pairs.end());
  EXPECT_EQ(compare(state), 0U);
}

TEST_F(PairSearchTest, ResumesWhereItWasStopped) {
  EXPECT_EQ(expect_resumed({2, 3}), 4U);
}

TEST_F(PairSearchTest, ComparesNewImagesAloneAndForgetsThoseThatLeft) {
  PairState state;
  compare(state);
  add(40);
  std::filesystem::remove(photos() + "/0-95.jpg");
  index_changes();
  EXPECT_GE(compare(state), 3U);  // more if the removed image stood for others
  EXPECT_EQ(state.images.size(), 11U);
  // Three files of the first picture, four of each other, of which one stands for the others.
  EXPECT_EQ(state.pairs.size(), 2U + 3U + 3U);
  EXPECT_EQ(compare(state), 0U);
}

TEST_F(PairSearchTest, ComparesAgainWhatCouldNotBeRead) {
  PairState whole;
  compare(whole);
  const std::string file = photos() + "/0-95.jpg";
  std::filesystem::rename(file, folder_->path() / "away.jpg");
  PairState state;
  compare(state);
  EXPECT_NE(bytes_of(state), bytes_of(whole));
  // Images whose comparison needs the missing file.
  const std::size_t incomplete = compare(state);
  EXPECT_GT(incomplete, 0U);
  EXPECT_LT(incomplete, 4U);
  std::filesystem::rename(folder_->path() / "away.jpg", file);
  EXPECT_EQ(compare(state), incomplete);
  EXPECT_EQ(compare(state), 0U);
  const auto in_order = [](PairState pairs) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, FoundPair> by_images;
    for (FoundPair& pair : pairs.pairs) by_images[{pair.first, pair.second}] = std::move(pair);
    pairs.pairs.clear();
    for (auto& [images, pair] : by_images) pairs.pairs.push_back(std::move(pair));
    return pairs;
  };
  EXPECT_EQ(state.pairs.size(), whole.pairs.size());
  EXPECT_EQ(bytes_of(in_order(state)), bytes_of(in_order(whole)));
}

TEST_F(PairSearchTest, OfAScopeComparesItsPairsAlone) {
  PairState state;
  const std::vector<std::string> left = {photos() + "/0-95.jpg"};
  const std::vector<std::string> right = {photos() + "/0-80.jpg", photos() + "/0-60.jpg",
                                          photos() + "/1-60.jpg"};
  compare(state, 1000, {left, right});
  EXPECT_EQ(state.pairs.size(), 2U);
}

// Frames of one scene, each with a noise of its own, beside the other pictures.
class FramesTest : public PairSearchTest {
 protected:
  static constexpr std::size_t kFrames = 24;  // more than are compared at the same time

  void draw() const override {
    PairSearchTest::draw();
    draw_frames();
  }
  static void draw_frames() {
    const cv::Mat scene = draw_picture(320, 240, 9);
    cv::RNG random(1);
    for (std::size_t i = 0; i < kFrames; ++i) {
      cv::Mat noise(scene.size(), CV_16SC1);
      random.fill(noise, cv::RNG::NORMAL, 0, 3);
      cv::Mat frame;
      scene.convertTo(frame, CV_16SC1);
      frame += noise;
      frame.convertTo(frame, CV_8UC1);
      cv::imwrite(frame_path(i), frame);
    }
  }
  static std::string frame_path(std::size_t i) {
    return fmt::format("{}/frame-{}.png", photos(), i);
  }
  // Returns the places of the frames in the state.
  std::vector<std::uint32_t> frames(const PairState& state) const {
    const IndexReader index(std::filesystem::path(config_.store.database));
    std::vector<std::uint32_t> places;
    for (std::uint32_t i = 0; i < state.images.size(); ++i) {
      const StoredImage image = index.image(index.find(state.images[i].content).value()).value();
      if (image.paths.front().find("frame-") != std::string::npos) places.push_back(i);
    }
    return places;
  }
  static std::string path_of(const IndexReader& index, const ContentHash& content) {
    return index.image(index.find(content).value()).value().paths.front();
  }
};

TEST_F(FramesTest, AreComparedWithTheOneThatStandsForThem) {
  PairState state;
  compare(state);
  EXPECT_EQ(state.pairs.size(), 6U + kFrames - 1);
  const std::vector<std::uint32_t> places = frames(state);
  ASSERT_EQ(places.size(), kFrames);
  EXPECT_FALSE(state.images[places.front()].representative);
  for (std::size_t i = 1; i < places.size(); ++i) {
    EXPECT_EQ(state.images[places[i]].representative, places.front());
  }
}

TEST_F(FramesTest, AStoppedSearchEndsAsAWholeOne) {
  expect_resumed({21, 5});
}

TEST_F(FramesTest, AnotherOneStandsForThemOnceTheirsIsRemoved) {
  PairState state;
  compare(state);
  const std::uint32_t first = frames(state).front();
  {
    const IndexReader index(std::filesystem::path(config_.store.database));
    std::filesystem::remove(path_of(index, state.images[first].content));
  }
  index_changes();
  EXPECT_EQ(compare(state), kFrames - 1);
  const std::vector<std::uint32_t> places = frames(state);
  ASSERT_EQ(places.size(), kFrames - 1);
  for (std::size_t i = 1; i < places.size(); ++i) {
    EXPECT_EQ(state.images[places[i]].representative, places.front());
  }
  EXPECT_EQ(state.pairs.size(), 6U + kFrames - 2);
}

TEST_F(FramesTest, OfAScopeDoNotNeedTheOneThatStandsForThem) {
  PairState state;
  compare(state);
  const std::vector<std::uint32_t> places = frames(state);
  std::vector<std::string> folders;
  {
    const IndexReader index(std::filesystem::path(config_.store.database));
    for (std::size_t i : {1U, 2U, 3U}) {
      folders.push_back(path_of(index, state.images[places[i]].content));
    }
  }
  PairState within = state;
  EXPECT_EQ(compare(within, 1000, {folders, folders}), 3U);
  EXPECT_EQ(within.images[places[2]].representative, places[1]);
  EXPECT_EQ(within.images[places[3]].representative, places[1]);
  // The first stands for the others, but not on both sides.
  PairState between = state;
  compare(between, 1000, {std::span(folders).first(1), std::span(folders).last(2)});
  const auto are_paired = [&](std::uint32_t a, std::uint32_t b) {
    return std::ranges::any_of(
        between.pairs, [&](const FoundPair& pair) { return pair.first == a && pair.second == b; });
  };
  EXPECT_TRUE(are_paired(places[1], places[2]));
  EXPECT_TRUE(are_paired(places[1], places[3]));
}

TEST_F(FramesTest, ARejectedPairIsComparedWithOthers) {
  PairState state;
  compare(state);
  const std::vector<std::uint32_t> places = frames(state);
  rules_.rejections.add(
      rejection_of(state.images[places[0]].content, state.images[places[7]].content, 1));
  EXPECT_EQ(compare(state), 1U);
  EXPECT_FALSE(state.images[places[7]].representative);
  EXPECT_EQ(compare(state), 0U);
}

// Frames and another picture, some of which have further files of equal pixels. They are too few
// for a calibration.
class TwinsTest : public FramesTest {
 protected:
  static constexpr std::size_t kTwins = 12;

  void draw() const override {
    draw_frames();
    const std::string alone = photos() + "/alone.png";
    cv::imwrite(alone, draw_picture(320, 240, 20));
    for (std::size_t i = 0; i < kTwins; ++i) add_twin(alone, i);
    add_twin(frame_path(7), 0);
  }
  // Writes a file of the same picture with other bytes.
  static void add_twin(const std::filesystem::path& of, std::size_t number) {
    const std::string name = fmt::format("{}-twin-{}.png", of.stem().native(), number);
    std::ofstream(of.parent_path() / name, std::ios::binary)
        << std::ifstream(of, std::ios::binary).rdbuf() << number;
  }
  // Returns the places of the images whose names begin so, in the state.
  std::vector<std::uint32_t> places_of(const PairState& state, const std::string& beginning) const {
    const IndexReader index(std::filesystem::path(config_.store.database));
    std::vector<std::uint32_t> places;
    for (std::uint32_t i = 0; i < state.images.size(); ++i) {
      const std::filesystem::path path = path_of(index, state.images[i].content);
      if (path.filename().native().starts_with(beginning)) places.push_back(i);
    }
    return places;
  }
};

TEST_F(TwinsTest, AreComparedWithTheFirstOfThemWithoutTheirFeatures) {
  PairState state;
  EXPECT_EQ(compare(state), kFrames + 1 + kTwins + 1);
  const std::vector<std::uint32_t> twins = places_of(state, "alone");
  ASSERT_EQ(twins.size(), kTwins + 1);
  std::size_t equal = 0;
  for (const FoundPair& pair : state.pairs) {
    if (!std::ranges::binary_search(twins, pair.second)) continue;
    ++equal;
    EXPECT_EQ(pair.first, twins.front());
    EXPECT_TRUE(pair.evidence.identical);
    EXPECT_EQ(pair.evidence.coherence, 0);  // of no features
    EXPECT_EQ(state.images[pair.second].representative, twins.front());
  }
  EXPECT_EQ(equal, kTwins);
  EXPECT_EQ(compare(state), 0U);
}

TEST_F(TwinsTest, AreJoinedToTheImageThatStandsForTheFirst) {
  PairState state;
  compare(state);
  const std::uint32_t first = frames(state).front();
  const std::vector<std::uint32_t> twins = places_of(state, "frame-7");
  ASSERT_EQ(twins.size(), 2U);
  for (const std::uint32_t twin : twins) {
    ASSERT_NE(twin, first);
    EXPECT_EQ(state.images[twin].representative, first);
    EXPECT_TRUE(std::ranges::any_of(state.pairs, [&](const FoundPair& pair) {
      return pair.first == first && pair.second == twin;
    }));
  }
  EXPECT_NO_THROW(decode_pairs(bytes_of(state), {}));
}

TEST_F(TwinsTest, AStoppedSearchEndsAsAWholeOne) {
  expect_resumed({8, 12});  // among the twins, then among the others
}

TEST_F(TwinsTest, ARejectedTwinIsComparedWithOthers) {
  PairState state;
  compare(state);
  const std::vector<std::uint32_t> twins = places_of(state, "alone");
  const std::uint32_t first = twins[0];
  const std::uint32_t second = twins[5];
  rules_.rejections.add(rejection_of(state.images[first].content, state.images[second].content, 1));
  EXPECT_EQ(compare(state), 1U);
  EXPECT_NE(state.images[second].representative, first);
}

}  // namespace
}  // namespace lookalike
