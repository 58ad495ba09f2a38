#include "pipeline/flow/store_queue.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "storage/index_reader.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A new index with a codebook of one word.
class StoreQueueTest : public ::testing::Test {
 protected:
  StoreQueueTest() {
    Codebook codebook{.descriptor_size = 1, .words = {0}, .projection = {}, .thresholds = {}};
    codebook.projection.resize(64, 0.125F);
    codebook.thresholds.resize(64);
    writer_.set_codebook(codebook, {});
  }

  static ContentHash content(std::uint8_t number) { return {number}; }
  // Makes an image in a file named by its number.
  static Item image(std::uint8_t number, std::uint32_t word = 0, std::uint32_t features = 1) {
    const ImageRecord record = {{"/" + std::to_string(number), 5, 6}, content(number), 640, 480};
    ImageWords words{record, {}, {{word, features}}};
    words.features.assign(features, {.word = word, .size = 9});
    return {.file = record.file, .content = record.content, .state = std::move(words)};
  }
  static Item copy(std::uint8_t number, const std::string& path) {
    return {.file = {path, 5, 6}, .content = content(number), .state = KnownContent{}};
  }
  // Stores all images.
  void store(std::vector<Item> items,
             const StoreOptions& options = {.database = {}, .publish_seconds = 0}) {
    StoreQueue queue(writer_, options, times_);
    for (Item& item : items) queue.push(std::move(item));
    queue.finish();
  }
  Error failure(std::vector<Item> items) {
    try {
      store(std::move(items));
    } catch (const Error& error) {
      return error;
    }
    return {ErrorKind::kUsage, "nothing was thrown"};
  }
  std::vector<std::string> paths_of(const std::string& path) const {
    return writer_.image(writer_.find(path).value())->paths;
  }

  TemporaryFolder folder_;
  IndexWriter writer_{folder_.path() / "index.db"};
  StageTimes times_;
};

TEST_F(StoreQueueTest, WhatFillsNoBatchIsPublishedAtTheEnd) {
  store({image(1, 0, 9), image(2), image(3)},
        {.database = {}, .batch_images = 2, .publish_seconds = 0});
  EXPECT_EQ(writer_.counts().images, 3U);
  EXPECT_EQ(writer_.counts().segments, 2U) << "one a batch";
}

TEST_F(StoreQueueTest, SmallSegmentsAreMergedAtTheEnd) {
  store({image(1), image(2), image(3)}, {.database = {}, .batch_images = 2, .publish_seconds = 0});
  EXPECT_EQ(writer_.counts().segments, 1U);
}

TEST_F(StoreQueueTest, SegmentsAreMergedWhileNothingIsToBeStored) {
  constexpr std::uint8_t kImages = 12;
  StoreQueue queue(writer_, {.database = {}, .batch_images = 1, .publish_seconds = 0}, times_);
  for (std::uint8_t i = 1; i <= kImages; ++i) queue.push(image(i));
  const auto counts = [&] { return IndexReader(folder_.path() / "index.db").counts(); };
  const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (counts().images < kImages || counts().segments > 8) {
    ASSERT_LT(std::chrono::steady_clock::now(), late);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  queue.finish();
  EXPECT_EQ(writer_.counts().postings, kImages);
}

TEST_F(StoreQueueTest, BatchesThatFillQuicklyAreOneSegment) {
  StoreQueue queue(writer_, {.database = {}, .batch_images = 1, .publish_seconds = 3600}, times_);
  queue.push(image(1, 0, 9));  // large enough to stay a segment of its own
  queue.push(image(2));
  queue.finish();
  EXPECT_EQ(writer_.counts().images, 2U);
  EXPECT_EQ(writer_.counts().segments, 1U);
}

TEST_F(StoreQueueTest, ALargeBatchIsPublishedOnceNothingWaits) {
  StoreQueue queue(writer_, {.database = {}, .batch_images = 1, .publish_seconds = 3600}, times_);
  const auto images = [&] { return IndexReader(folder_.path() / "index.db").counts().images; };
  queue.push(image(1));
  queue.push(image(2, 0, 500'000));
  const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (images() < 2) {
    ASSERT_LT(std::chrono::steady_clock::now(), late);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  queue.push(image(3));
  queue.finish();
  EXPECT_EQ(images(), 3U);
}

TEST_F(StoreQueueTest, ABatchThatIsRefusedAsItIsEncodedLeavesTheEarlierOnes) {
  StoreQueue queue(writer_, {}, times_);
  queue.push(image(1));
  Item wrong = image(2);
  std::get<ImageWords>(wrong.state).histogram.front().count = 7;
  try {
    queue.push(std::move(wrong));
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_THAT(error.what(), HasSubstr("/2: its histogram does not count its features"));
  }
  queue.finish();
  EXPECT_EQ(writer_.counts().images, 1U);
}

TEST_F(StoreQueueTest, SegmentsAreMergedToTheMaximum) {
  store({image(1, 0, 200), image(2, 0, 30), image(3)},
        {.database = {}, .batch_images = 1, .publish_seconds = 0, .max_segments = 2});
  EXPECT_EQ(writer_.counts().images, 3U);
  EXPECT_EQ(writer_.counts().segments, 2U) << "the end alone would leave three";
}

TEST_F(StoreQueueTest, ABlankImageIsStoredWithoutItsFeatures) {
  Item blank = image(1);
  blank.blank = true;
  store({std::move(blank)});
  EXPECT_EQ(writer_.counts().blank, 1U);
  EXPECT_EQ(writer_.counts().features, 0U);
}

TEST_F(StoreQueueTest, ACopyIsAFurtherPathOfItsImageInTheSameBatchOrInTheIndex) {
  store({image(1), copy(1, "/same-batch")});
  store({copy(1, "/later")});
  EXPECT_THAT(paths_of("/1"), ElementsAre("/1", "/later", "/same-batch"));
  EXPECT_EQ(writer_.counts().images, 1U);
}

TEST_F(StoreQueueTest, KnownContentThatNothingHasIsABug) {
  const Error error = failure({image(1), copy(2, "/2")});
  EXPECT_EQ(error.kind(), ErrorKind::kInternal);
  EXPECT_THAT(error.what(), HasSubstr("the content is not in the index"));
  EXPECT_THAT(writer_.files(), IsEmpty());
}

TEST_F(StoreQueueTest, WhatStoringThrowsReachesTheCaller) {
  EXPECT_EQ(failure({image(1, 7)}).kind(), ErrorKind::kInput) << "a word beyond the codebook";
}

TEST_F(StoreQueueTest, WhatIsNotFinishedIsDropped) {
  {
    StoreQueue queue(writer_, {}, times_);
    queue.push(image(1));
  }
  EXPECT_THAT(writer_.files(), IsEmpty());
}

}  // namespace
}  // namespace lookalike
