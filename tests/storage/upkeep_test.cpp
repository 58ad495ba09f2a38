// What is done to an index now and then: compacting, replacing, backing up, migrating, and the
// record of runs.

#include <gtest/gtest.h>

#include "storage/index_check.h"
#include "storage/schema.h"
#include "storage/sqlite.h"
#include "tests/storage/index_fixture.h"

namespace lookalike {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
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
  for (std::uint64_t number = 1; number <= 40; ++number) publish(number, number);
  writer_->merge_segments(10);
  for (std::uint64_t number = 1; number <= 5; ++number) remove(number);
  const std::string content = reader().content_hash();
  Connection(database(), Connection::Mode::kWrite).execute("PRAGMA wal_checkpoint(TRUNCATE)");
  const auto size_before = std::filesystem::file_size(database());
  writer_->compact();
  EXPECT_EQ(reader().counts().segments, 1U);
  EXPECT_EQ(reader().counts().postings, 35U * 20U);
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
    other.publish({&image, 1});
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

// Format 6 added the cells of a codebook.
TEST_F(UpkeepTest, AnIndexOfFormat5IsReadAndMigratedWithoutLoss) {
  publish(1, 3);
  const std::string content = reader().content_hash();
  writer_.reset();
  Connection(database(), Connection::Mode::kWrite)
      .execute("ALTER TABLE codebook DROP COLUMN cells; PRAGMA user_version = 5");
  EXPECT_EQ(reader().content_hash(), content);
  EXPECT_EQ(reader().codebook().words, sample_codebook().words);
  EXPECT_TRUE(reader().codebook().cells.empty());
  EXPECT_THAT(check_index(database()), IsEmpty());
  reopen();
  EXPECT_EQ(reader().content_hash(), content);
  EXPECT_THAT(check_index(database()), IsEmpty());
  Connection connection(database(), Connection::Mode::kRead);
  EXPECT_EQ(connection.first<int>("PRAGMA user_version"), kSchemaVersion);
  EXPECT_EQ(connection.first<int>("SELECT cells IS NULL FROM codebook"), 1);
}

TEST_F(UpkeepTest, ContentThatCannotBeReadReplacesNothing) {
  publish(1, 3);
  const std::string content = reader().content_hash();
  write_bytes(folder_ / "other.db", Bytes(5000, 'x'));
  EXPECT_THROW(writer_->replace_content(folder_ / "other.db"), Error);
  EXPECT_EQ(reader().content_hash(), content);
}

// What README.md says about backups.
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
  writer_->end_run({first, "", 0, 2.5, "done", "{}"});
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
}

// An index that version 0.1.0 made of three drawings and one file that is no image.
TEST(KeptIndex, OfTheFirstFormatIsMigratedAndWhole) {
  const TemporaryFolder folder;
  const std::filesystem::path database = folder / "index.db";
  std::filesystem::copy_file(LOOKALIKE_SOURCE_DIR "/tests/storage/kept/index-v1.db", database);
  const Error older = error_of([&] { IndexReader reader(database); });
  EXPECT_THAT(older.what(), HasSubstr("older format 1: run `lookalike migrate`"));
  IndexWriter writer(database);
  const IndexReader reader(database);
  EXPECT_EQ(reader.content_hash(), "c86627d6c071b20eb77b982ab07aabd0");
  EXPECT_EQ(reader.counts().features, 90U);
  ASSERT_EQ(reader.quarantine().size(), 1U);
  EXPECT_EQ(reader.quarantine()[0].reason, "undecodable");
  EXPECT_THAT(check_index(database), IsEmpty());
}

// Of TIFF files, the first page alone was indexed before format 5.
TEST(KeptIndex, TiffFilesAreReadAgainOnceMigrated) {
  const TemporaryFolder folder;
  const std::filesystem::path database = folder / "index.db";
  std::filesystem::copy_file(LOOKALIKE_SOURCE_DIR "/tests/storage/kept/index-v1.db", database);
  Connection(database, Connection::Mode::kWrite)
      .execute(
          "INSERT INTO files SELECT CAST('/a.TIFF' AS BLOB), id, 1, 1 FROM images LIMIT 1;"
          "INSERT INTO files SELECT CAST('/tif.png' AS BLOB), id, 1, 1 FROM images LIMIT 1;");
  const IndexWriter writer(database);
  std::map<std::string, std::int64_t> times;
  for (const SourceFile& file : writer.files()) times[file.path] = file.modified_ns;
  EXPECT_EQ(times["/a.TIFF"], -1);
  EXPECT_EQ(times["/tif.png"], 1);
}

// Transparency was not seen before format 4.
TEST(KeptIndex, BlankImagesAreTakenForNewOnceMigrated) {
  const TemporaryFolder folder;
  const std::filesystem::path database = folder / "index.db";
  std::filesystem::copy_file(LOOKALIKE_SOURCE_DIR "/tests/storage/kept/index-v1.db", database);
  Connection(database, Connection::Mode::kWrite)
      .execute(
          "INSERT INTO images VALUES (70, x'07', 40, 30, 1, 0, 0);"
          "INSERT INTO statistics VALUES (70, 1200, 0, 0);"
          "INSERT INTO files VALUES (x'2f61', 70, 1, 1), (x'2f62', 70, 1, 1);");
  const IndexWriter writer(database);
  EXPECT_EQ(writer.files().size(), 3U);
  const IndexReader reader(database);
  EXPECT_EQ(reader.counts().images, 3U);
  EXPECT_EQ(reader.counts().blank, 0U);
  EXPECT_FALSE(reader.image(70).has_value());
  EXPECT_THAT(check_index(database), IsEmpty());
}

}  // namespace
}  // namespace lookalike
