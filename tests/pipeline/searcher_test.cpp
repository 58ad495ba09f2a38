#include "pipeline/searcher.h"

#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>

#include "base/error.h"
#include "base/parallel.h"
#include "pipeline/answers.h"
#include "pipeline/device/open_session.h"
#include "pipeline/index/index_run.h"
#include "pipeline/stored_calibration.h"
#include "stages/match/vote/query_words.h"
#include "tests/stages/pictures.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

class SearcherTest : public ::testing::Test {
 protected:
  SearcherTest() {
    config_.images.folders = {(folder_.path() / "photos").native()};
    config_.store.database = folder_.path() / "index.db";
    config_.device.choice = ":CPU:";
    std::filesystem::create_directory(folder_.path() / "photos");
    for (unsigned i = 0; i < 3; ++i) cv::imwrite(photo(i), draw_picture(320, 240, i + 1));
    run_index(config_, Progress::Style::kQuiet);
  }
  std::string photo(std::size_t i) const {
    return folder_.path() / fmt::format("photos/{}.png", i);
  }

  static std::string first(const QueryResult& result) {
    return result.matches.empty() ? "" : result.matches.front().image.paths.front();
  }

  TemporaryFolder folder_;
  RunConfig config_;
};

TEST_F(SearcherTest, KernelsThatWereBuiltAheadAreThoseOfAMatch) {
  SessionOptions options = session_options(config_.device);
  options.program_cache = folder_.path() / "programs";
  const auto programs = [&] {
    const std::filesystem::directory_iterator files(options.program_cache);
    return std::distance(begin(files), end(files));
  };
  OpenClSession ahead(options);
  build_word_kernels(ahead, config_.extract.descriptor_size, most_words_per_feature(config_.match));
  build_pixel_kernels(ahead);
  const auto built = programs();
  EXPECT_GT(built, 3);
  ExtractStage(ahead, config_.extract).build_description();
  EXPECT_EQ(programs(), built + 1);
  OpenClSession session(options);
  const IndexReader index(config_.store.database);
  Searcher searcher(index, config_, &session);
  const auto query = std::get<Query>(searcher.load(photo(1)));
  EXPECT_TRUE(searcher.search(query).matches.front().evidence.correlation);
  EXPECT_EQ(programs(), built + 1);
}

TEST_F(SearcherTest, EveryWayOfAskingGivesTheSameAnswer) {
  const IndexReader index(config_.store.database);
  config_.extract.hessian_threshold = 5000;  // the index's own holds
  Searcher searcher(index, config_);
  const auto query = std::get<Query>(searcher.load(photo(1)));
  EXPECT_GT(query.features.size(), 50U);
  const QueryResult by_features = searcher.search(query);
  EXPECT_EQ(first(by_features), photo(1));
  EXPECT_EQ(by_features.matches.front().decision, Decision::kDuplicate);
  const QueryResult by_pixels = searcher.search(searcher.with_features(query.image));
  ASSERT_EQ(by_pixels.matches.size(), by_features.matches.size());
  EXPECT_EQ(by_pixels.matches.front().score, by_features.matches.front().score);
  OpenClSession session(session_options(config_.device));
  const QueryResult on_session = Searcher(index, config_, &session).search(query);
  EXPECT_EQ(on_session.matches.front().score, by_features.matches.front().score);
  EXPECT_TRUE(searcher.search(index.find(photo(1)).value()).matches.empty());  // but for itself
}

TEST_F(SearcherTest, PhotosLookedUpSideBySideAreAnsweredAsOneAfterAnother) {
  config_.match.min_decision = "all";
  config_.match.cache_mib = 1;
  const IndexReader index(config_.store.database);
  const auto answer = [&](Searcher& searcher, std::size_t i) {
    if (i % 4 == 3) return std::get<SkippedFile>(searcher.load(photo(9))).reason;
    const int shift = static_cast<int>(i);
    const auto query = searcher.load(photo(i % 3), Region{shift, 2 * shift, 280 - shift, 200});
    return json_text(query_answer("", searcher.search(std::get<Query>(query))));
  };
  constexpr std::size_t kLookUps = 16;
  Searcher alone(index, config_);
  Searcher shared(index, config_);
  std::vector<std::string> answers(kLookUps);
  parallel_for(kLookUps, 4, [&](std::size_t i) { answers[i] = answer(shared, i); });
  for (std::size_t i = 0; i < kLookUps; ++i) EXPECT_EQ(answers[i], answer(alone, i)) << i;
}

TEST_F(SearcherTest, AnErrorOfOneLookUpLeavesTheOthersAlone) {
  const IndexReader index(config_.store.database);
  Searcher searcher(index, config_);
  const Query query = std::get<Query>(searcher.load(photo(1)));
  OrderedParallel<QueryResult> results(8, 4, 8, [&](std::size_t i) {
    return i == 3 ? searcher.search(ImageId{999}) : searcher.search(query);
  });
  for (std::size_t i = 0; i < 8; ++i) {
    if (i == 3) {
      EXPECT_THROW(results.next(), Error);
    } else {
      EXPECT_EQ(first(*results.next()), photo(1));
    }
  }
}

TEST_F(SearcherTest, ARegionIsSearchedAlone) {
  const IndexReader index(config_.store.database);
  Searcher searcher(index, config_);
  const auto loaded = searcher.load(photo(2), Region{100, 40, 200, 180});
  const auto& query = std::get<Query>(loaded);
  EXPECT_EQ(query.image.record.width, 200);
  EXPECT_EQ(first(searcher.search(query)), photo(2));
  EXPECT_THROW(searcher.load(photo(2), Region{200, 0, 200, 200}), Error);
}

TEST_F(SearcherTest, AnIndexedFileIsReadWhereItsContentIs) {
  const IndexReader index(config_.store.database);
  StoredImage image = index.image(index.find(photo(0)).value()).value();
  const auto picture = read_indexed(image, 160, {});
  ASSERT_TRUE(picture.has_value());
  EXPECT_EQ(picture->pixels.width, 160);
  image.paths = {photo(9), photo(1), photo(0)};  // no file, another file, the file
  ASSERT_TRUE(read_indexed(image, 160, {}).has_value());
  image.paths.pop_back();
  EXPECT_FALSE(read_indexed(image, 160, {}).has_value());
}

TEST_F(SearcherTest, AFileThatWasReplacedIsFoundButNotCompared) {
  const IndexReader index(config_.store.database);
  Searcher searcher(index, config_);
  const Query query = std::get<Query>(searcher.load(photo(2)));
  cv::imwrite(photo(2), draw_picture(320, 240, 77));
  const QueryResult result = searcher.search(query);
  EXPECT_EQ(first(result), photo(2));
  EXPECT_FALSE(result.matches.front().evidence.correlation.has_value());
}

TEST_F(SearcherTest, TheCalibrationOfTheIndexHolds) {
  IndexWriter(config_.store.database)
      .set_derived(kCalibrationName, to_text(Calibration{{-50, 0, 0, 0, 0}}));
  const IndexReader index(config_.store.database);
  Searcher searcher(index, config_);
  const Query query = std::get<Query>(searcher.load(photo(1), Region{20, 20, 200, 180}));
  EXPECT_TRUE(searcher.search(query).matches.empty());
}

TEST_F(SearcherTest, AFileThatCannotBeUsedIsAValue) {
  const IndexReader index(config_.store.database);
  Searcher searcher(index, config_);
  const auto loaded = searcher.load(photo(9));
  ASSERT_TRUE(std::holds_alternative<SkippedFile>(loaded));
  EXPECT_EQ(std::get<SkippedFile>(loaded).reason, "vanished");
}

}  // namespace
}  // namespace lookalike
