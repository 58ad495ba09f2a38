#include "pipeline/groups/compare.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
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

// An index of three pictures, each in three qualities.
class PairSearchTest : public testing::Test {
 protected:
  PairSearchTest() {
    config_.images.folders = {photos()};
    config_.store.database = folder_.path() / "index.db";
    config_.device.choice = ":CPU:";
    std::filesystem::create_directory(photos());
    for (int quality : {95, 80, 60}) add(quality);
    run_index(config_, Progress::Style::kQuiet);
  }
  std::string photos() const { return folder_.path() / "photos"; }
  void add(int quality) const {
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
    PairSearch search(images, false, state);
    Searcher searcher(index, config_);
    std::size_t compared = 0;
    search.run(index, searcher, [&](std::size_t done) {
      compared = done;
      return done < most;
    });
    return compared;
  }
  static Bytes bytes_of(const PairState& state) { return encode_pairs(state, {}); }

  TemporaryFolder folder_;
  RunConfig config_;
};

TEST_F(PairSearchTest, VerifiesEachPairOnce) {
  PairState state;
  EXPECT_EQ(compare(state), 9U);
  EXPECT_EQ(state.pairs.size(), 9U);  // three of each picture
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const FoundPair& pair : state.pairs) pairs.emplace_back(pair.first, pair.second);
  std::ranges::sort(pairs);
  EXPECT_EQ(std::ranges::adjacent_find(pairs), pairs.end());
  EXPECT_EQ(compare(state), 0U);
}

TEST_F(PairSearchTest, ResumesWhereItWasStopped) {
  PairState whole;
  compare(whole);
  PairState stopped;
  EXPECT_EQ(compare(stopped, 2), 2U);
  EXPECT_EQ(compare(stopped, 3), 3U);
  EXPECT_EQ(compare(stopped), 4U);
  EXPECT_EQ(bytes_of(stopped), bytes_of(whole));
}

TEST_F(PairSearchTest, ComparesNewImagesAloneAndForgetsThoseThatLeft) {
  PairState state;
  compare(state);
  add(40);
  std::filesystem::remove(photos() + "/0-95.jpg");
  run_index(config_, Progress::Style::kQuiet);
  EXPECT_EQ(compare(state), 3U);
  EXPECT_EQ(state.images.size(), 11U);
  // Three files of the first picture, four of each other.
  EXPECT_EQ(state.pairs.size(), 3U + 6U + 6U);
}

TEST_F(PairSearchTest, ComparesAgainWhatCouldNotBeRead) {
  PairState whole;
  compare(whole);
  const std::string file = photos() + "/0-95.jpg";
  std::filesystem::rename(file, folder_.path() / "away.jpg");
  PairState state;
  compare(state);
  EXPECT_NE(bytes_of(state), bytes_of(whole));
  // Images whose comparison needs the missing file.
  const std::size_t incomplete = compare(state);
  EXPECT_GT(incomplete, 0U);
  EXPECT_LT(incomplete, 4U);
  std::filesystem::rename(folder_.path() / "away.jpg", file);
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

}  // namespace
}  // namespace lookalike
