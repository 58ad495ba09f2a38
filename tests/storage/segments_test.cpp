#include "storage/segments.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/index_check.h"
#include "storage/sqlite.h"
#include "tests/storage/index_fixture.h"

namespace lookalike {
namespace {

constexpr std::uint64_t kAll = UINT64_MAX;

class SegmentsTest : public IndexTest {
 protected:
  void publish_one_by_one(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t number = first; number <= last; ++number) publish(number, number);
  }
};

TEST_F(SegmentsTest, EachPublishMakesOneSegmentAndMergingLeavesAtMostSoMany) {
  publish_one_by_one(1, 12);
  EXPECT_EQ(reader().counts().segments, 12U);
  writer_->merge_segments(12);
  EXPECT_EQ(reader().counts().segments, 12U);
  writer_->merge_segments(5);
  EXPECT_LE(reader().counts().segments, 5U);
  writer_->merge_segments(1);
  EXPECT_EQ(reader().counts().segments, 1U);
  EXPECT_EQ(reader().counts().postings, 12U * 20U);
}

TEST(SortByImage, KeepsSignaturesWithTheirImagesAndTheirOrderWithinOne) {
  WordPostings postings{{3, 3, 1, 2, 1}, {30, 31, 10, 20, 11}};
  sort_by_image(postings);
  EXPECT_THAT(postings.images, testing::ElementsAre(1, 1, 2, 3, 3));
  EXPECT_THAT(postings.signatures, testing::ElementsAre(10, 11, 20, 30, 31));
}

TEST_F(SegmentsTest, MergingKeepsEveryPosting) {
  publish_one_by_one(1, 9);
  std::vector<std::vector<std::pair<ImageId, std::uint64_t>>> before;
  for (std::uint32_t word = 0; word < 16; ++word) before.push_back(sorted_postings(reader(), word));
  for (const std::size_t most : {6U, 3U, 1U}) {
    writer_->merge_segments(most);
    for (std::uint32_t word = 0; word < 16; ++word) {
      EXPECT_EQ(sorted_postings(reader(), word), before[word]);
      EXPECT_EQ(sorted_postings(*writer_, word), before[word]);
    }
  }
}

TEST_F(SegmentsTest, ImagesMayBePublishedBetweenTheStepsOfAMerge) {
  publish_one_by_one(1, 4);
  Connection connection(database(), Connection::Mode::kWrite);
  SegmentMerge merge(connection, {1, 2, 3, 4}, 1);  // a step for each word
  merge.step();
  publish(5, 5);
  std::vector<std::vector<std::pair<ImageId, std::uint64_t>>> before;
  for (std::uint32_t word = 0; word < 16; ++word) before.push_back(sorted_postings(reader(), word));
  while (!merge.is_done()) merge.step();
  EXPECT_EQ(reader().counts().segments, 2U);
  for (std::uint32_t word = 0; word < 16; ++word) {
    EXPECT_EQ(sorted_postings(reader(), word), before[word]);
  }
  EXPECT_THAT(check_index(database()), testing::IsEmpty());
}

TEST_F(SegmentsTest, MergingStepByStepEndsAtTheMaximum) {
  publish_one_by_one(1, 4);
  EXPECT_FALSE(writer_->merge_a_step(4));
  for (int step = 0; writer_->merge_a_step(1); ++step) ASSERT_LT(step, 100);
  EXPECT_EQ(reader().counts().segments, 1U);
  EXPECT_EQ(reader().counts().postings, 4U * 20U);
}

TEST_F(SegmentsTest, SmallSegmentsAreMergedUpToSoManyPostings) {
  publish_one_by_one(1, 5);
  writer_->merge_small_segments(70);  // three of 20
  EXPECT_EQ(reader().counts().segments, 3U);
  writer_->merge_small_segments(30);
  EXPECT_EQ(reader().counts().segments, 3U);
}

// A damaged list stops the merge, instead of a kill.
TEST_F(SegmentsTest, AMergeThatStopsLeavesEveryListWholeAndTheNextCarriesOn) {
  publish(1, 6);
  publish(7, 9);
  remove(4);
  std::vector<std::vector<std::pair<ImageId, std::uint64_t>>> before;
  for (std::uint32_t word = 0; word < 16; ++word) before.push_back(sorted_postings(reader(), word));
  writer_.reset();
  Connection connection(database(), Connection::Mode::kWrite);
  connection.execute(
      "CREATE TEMP TABLE whole AS SELECT * FROM postings WHERE id & 0xFFFFFFFF = 12;"
      "UPDATE postings SET data = x'00' WHERE id & 0xFFFFFFFF = 12");
  EXPECT_THROW(merge_segments(connection, 1, 1), Error);  // a transaction for each word
  EXPECT_EQ(connection.first<int>("SELECT count(*) FROM segments"), 3);
  connection.execute("REPLACE INTO postings SELECT * FROM whole");
  for (std::uint32_t word = 0; word < 16; ++word) {
    EXPECT_EQ(sorted_postings(reader(), word), before[word]);
  }
  EXPECT_THAT(check_index(database()), testing::IsEmpty());

  merge_segments(connection, 1);
  const IndexReader index = reader();
  EXPECT_EQ(index.counts().segments, 1U);
  EXPECT_EQ(index.counts().postings, 8U * 20U);
  for (std::uint32_t word = 0; word < 16; ++word) {
    EXPECT_EQ(sorted_postings(index, word), before[word]);
  }
  EXPECT_THAT(check_index(database()), testing::IsEmpty());
}

TEST_F(SegmentsTest, ImagesAscendAfterSegmentsThatLieBetweenOthersAreMerged) {
  publish(1, 1);
  publish(2, 5);
  publish(6, 6);
  writer_->merge_segments(2);  // the first and the last
  EXPECT_EQ(reader().counts().segments, 2U);
  writer_->merge_segments(1);
  const IndexReader index = reader();
  for (std::uint32_t word = 0; word < 16; ++word) {
    const std::vector<ImageId> images = postings_of(index, word).images;
    EXPECT_TRUE(std::is_sorted(images.begin(), images.end()));
  }
}

TEST_F(SegmentsTest, RemovedImagesAreGoneFromTheReaderAtOnceAndFromTheDiskAfterAMerge) {
  publish_one_by_one(1, 8);
  remove(3);
  EXPECT_EQ(posted(reader()), (std::set<ImageId>{1, 2, 4, 5, 6, 7, 8}));
  EXPECT_FALSE(reader().image(3));
  EXPECT_EQ(reader().counts().postings, 8U * 20U);
  writer_->merge_segments(1);
  EXPECT_EQ(posted(reader()), (std::set<ImageId>{1, 2, 4, 5, 6, 7, 8}));
  EXPECT_EQ(reader().counts().postings, 7U * 20U);
}

TEST_F(SegmentsTest, ARemovedImageOfASegmentThatIsNotMergedStaysRemoved) {
  publish(1, 10);
  publish_one_by_one(11, 13);
  remove(1);
  writer_->merge_segments(3);  // leaves the large one
  EXPECT_EQ(reader().counts().postings, 13U * 20U);
  EXPECT_EQ(posted(reader()).count(1), 0U);
}

TEST_F(SegmentsTest, ASegmentOfManyRemovedImagesIsRewrittenAlone) {
  publish(1, 8);
  remove(1);
  writer_->merge_segments(10);
  EXPECT_EQ(reader().counts().postings, 8U * 20U);
  remove(2);  // a quarter now
  writer_->merge_segments(10);
  EXPECT_EQ(reader().counts().postings, 6U * 20U);
}

TEST_F(SegmentsTest, AnIndexThatLosesEverythingHasNoSegments) {
  publish(1, 2);
  remove(1);
  remove(2);
  writer_->merge_segments(10);
  EXPECT_EQ(reader().counts().segments, 0U);
  EXPECT_TRUE(posted(reader()).empty());
  publish(1, 1);
  EXPECT_EQ(posted(reader()), (std::set<ImageId>{3}));
}

TEST_F(SegmentsTest, MoreSegmentsThanAreMergedAtOnceAreMergedAllTheSame) {
  for (std::uint64_t number = 1; number <= 300; ++number) publish(sample_to_store(number, 1));
  remove(300);
  writer_->merge_segments(1);
  EXPECT_EQ(reader().counts().segments, 1U);
  EXPECT_EQ(posted(reader()).size(), 299U);
}

TEST_F(SegmentsTest, SmallSegmentsAreMergedUntilALargeOneOutgrowsThem) {
  publish(1, 40);
  publish(41, 49);
  publish(50, 50);
  writer_->merge_small_segments(kAll);  // 40 is no more than 4 times 10
  EXPECT_EQ(reader().counts().segments, 1U);
  publish(51, 56);
  publish(57, 58);
  publish(59, 59);
  writer_->merge_small_segments(kAll);  // 9 are few beside 50
  EXPECT_EQ(reader().counts().segments, 2U);
  EXPECT_EQ(posted(reader()).size(), 59U);
  writer_->merge_small_segments(kAll);
  EXPECT_EQ(reader().counts().segments, 2U);
}

TEST_F(SegmentsTest, MergingAfterEveryPublishStaysWithinTheMaximum) {
  for (std::uint64_t number = 1; number <= 60; ++number) {
    publish(sample_to_store(number, 2));
    writer_->merge_segments(4);
    ASSERT_LE(reader().counts().segments, 4U);
  }
  EXPECT_EQ(posted(reader()).size(), 60U);
}

TEST_F(SegmentsTest, AMergeDoesNotHideADamagedCount) {
  publish(1, 6);
  publish(7, 9);
  remove(4);
  writer_.reset();
  for (const char* table : {"segments", "tombstones"}) {
    Connection connection(database(), Connection::Mode::kWrite);
    const auto add = [&](const char* number) {
      connection.execute(
          fmt::format("UPDATE {} SET posting_count = posting_count + {}", table, number).c_str());
    };
    add("1");
    const Error error = error_of([&] { merge_all_segments(connection); });
    EXPECT_EQ(error.kind(), ErrorKind::kStorage);
    EXPECT_THAT(error.what(),
                testing::HasSubstr(fmt::format("table {}: a row does not match", table)));
    add("-1");
  }
  EXPECT_THAT(check_index(database()), testing::IsEmpty());
}

TEST_F(SegmentsTest, MergingToNoneIsABug) {
  EXPECT_EQ(error_of([&] { writer_->merge_segments(0); }).kind(), ErrorKind::kInternal);
}

}  // namespace
}  // namespace lookalike
