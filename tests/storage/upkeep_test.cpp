// Upkeep of an index: compacting, replacing its content, backing up, derived values, and the
// record of runs.

#include <gtest/gtest.h>

#include "storage/index_check.h"
#include "storage/sqlite.h"
#include "tests/storage/encoded.h"
#include "tests/storage/index_fixture.h"

namespace lookalike {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class UpkeepTest : public IndexTest {
 protected:
  std::vector<std::string> outcomes() const {
    std::vector<std::string> list;
    for (const RunRecord& run : reader().runs(100)) list.push_back(run.outcome);
    return list;
  }
};

TEST_F(UpkeepTest, CompactingLeavesOneSegmentNoTombstonesAndReturnsSpace) {
  for (std::uint64_t number = 1; number <= 40; ++number) {
    publish(sample_to_store(number, 2000));
  }
  writer_->merge_segments(10);
  for (std::uint64_t number = 1; number <= 5; ++number) remove(number);
  const std::string content = reader().content_hash();
  Connection(database(), Connection::Mode::kWrite).execute("PRAGMA wal_checkpoint(TRUNCATE)");
  const auto size_before = std::filesystem::file_size(database());
  writer_->compact();
  EXPECT_EQ(reader().counts().segments, 1U);
  EXPECT_EQ(reader().counts().postings, 35U * 2000U);
  EXPECT_EQ(reader().content_hash(), content);
  EXPECT_LT(std::filesystem::file_size(database()), size_before);
  EXPECT_THAT(check_index(database()), IsEmpty());
}

TEST_F(UpkeepTest, CompactingAnEmptyIndexIsPossible) {
  EXPECT_NO_THROW(writer_->compact());
  EXPECT_EQ(reader().counts().segments, 0U);
}

TEST_F(UpkeepTest, ReplacedContentIsSeenAllAtOnceAndTheRunsStay) {
  publish(1, 3);
  writer_->begin_run("index", 5);
  {
    IndexWriter other(folder_ / "other.db");
    other.set_codebook(sample_codebook(8), {{"extract.octaves", "2"}});
    const ImageToStore image = sample_to_store(7, 20, 8);
    other.publish(encoded({&image, 1}));
  }
  const IndexReader before = reader();
  writer_->replace_content(folder_ / "other.db");
  EXPECT_EQ(before.counts().images, 3U);
  const IndexReader after = reader();
  EXPECT_EQ(after.counts().images, 1U);
  EXPECT_EQ(after.content_hash(), IndexReader(folder_ / "other.db").content_hash());
  EXPECT_EQ(after.settings().at("extract.octaves"), "2");
  EXPECT_THAT(outcomes(), ElementsAre("running"));
  EXPECT_THAT(check_index(database()), IsEmpty());
  publish(sample_to_store(8, 20, 8));
  EXPECT_THAT(check_index(database()), IsEmpty());
}

TEST_F(UpkeepTest, CellsReplaceACodebookWithoutThem) {
  const Codebook codebook = with_cells(sample_codebook());
  IndexWriter(folder_ / "other.db").set_codebook(codebook, {});
  writer_->replace_content(folder_ / "other.db");
  EXPECT_EQ(reader().codebook().cells, codebook.cells);
}

TEST_F(UpkeepTest, ContentThatCannotBeReadReplacesNothing) {
  publish(1, 3);
  const std::string content = reader().content_hash();
  write_bytes(folder_ / "other.db", Bytes(5000, 'x'));
  EXPECT_THROW(writer_->replace_content(folder_ / "other.db"), Error);
  EXPECT_EQ(reader().content_hash(), content);
}

// The way to back up an index.
TEST_F(UpkeepTest, ACopyMadeByVacuumIntoWhileItIsWrittenIsWhole) {
  publish(1, 6);
  const std::string content = reader().content_hash();
  Connection connection(database(), Connection::Mode::kWrite);
  Statement(connection, "VACUUM INTO ?").run(std::string_view((folder_ / "copy.db").native()));
  publish(7, 9);
  EXPECT_EQ(IndexReader(folder_ / "copy.db").content_hash(), content);
  EXPECT_THAT(check_index(folder_ / "copy.db"), IsEmpty());
}

TEST_F(UpkeepTest, RunsAreRememberedNewestFirst) {
  const std::int64_t first = writer_->begin_run("index", 1000);
  EXPECT_THAT(outcomes(), ElementsAre("running"));
  writer_->end_run({first, "", 0, 2.5, "good", "{}"});
  const std::int64_t second = writer_->begin_run("compact", 2000);
  EXPECT_GT(second, first);
  const std::vector<RunRecord> runs = reader().runs(2);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].command, "compact");
  EXPECT_EQ(runs[1].started_ns, 1000);
  EXPECT_EQ(runs[1].elapsed_seconds, 2.5);
  EXPECT_EQ(runs[1].document, "{}");
  EXPECT_EQ(reader().runs(1).size(), 1U);
}

TEST_F(UpkeepTest, WhatWasDerivedIsKeptByNameAndIsNoContent) {
  const std::string content = reader().content_hash();
  EXPECT_EQ(reader().derived("calibration"), std::nullopt);
  writer_->set_derived("calibration", "[1]");
  writer_->set_derived("calibration", "[2]");
  writer_->set_derived("other", "x");
  EXPECT_EQ(reader().derived("calibration"), "[2]");
  EXPECT_EQ(reader().derived("other"), "x");
  EXPECT_EQ(reader().content_hash(), content);
}

TEST_F(UpkeepTest, RunsThatNeverEndedAreTakenForKilled) {
  writer_->begin_run("index", 1);
  writer_->begin_run("index", 2);
  EXPECT_THAT(outcomes(), ElementsAre("running", "killed"));
  writer_.reset();
  EXPECT_THAT(outcomes(), ElementsAre("killed", "killed"));
}

}  // namespace
}  // namespace lookalike
