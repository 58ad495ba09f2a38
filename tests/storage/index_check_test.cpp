#include "storage/index_check.h"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "storage/schema.h"
#include "storage/sqlite.h"
#include "tests/rights.h"
#include "tests/storage/index_fixture.h"

namespace lookalike {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class IndexCheckTest : public IndexTest {
 protected:
  IndexCheckTest() {
    publish(1, 5);
    publish(6, 9);
    publish(sample_to_store(10, 0));  // blank
    remove(3);
  }
  std::vector<std::string> problems() const { return check_index(database()); }
  // Runs SQL on the closed database and returns the problems found.
  std::vector<std::string> problems_after(const char* sql) {
    Connection(database(), Connection::Mode::kWrite).execute(sql);
    return problems();
  }
};

TEST_F(IndexCheckTest, AWholeIndexHasNoProblems) {
  EXPECT_THAT(problems(), IsEmpty());
  writer_->merge_segments(1);
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(IndexCheckTest, AnIndexThatWasStoppedBeforeItsFirstTransactionHasNoProblems) {
  const std::string empty = folder_ / "empty.db";
  std::ofstream(empty).close();
  EXPECT_THAT(check_index(empty), IsEmpty());
  Connection(empty, Connection::Mode::kWrite).execute("PRAGMA journal_mode = WAL");
  EXPECT_THAT(check_index(empty), IsEmpty());
  EXPECT_TRUE(is_empty_index(empty));
  EXPECT_FALSE(is_empty_index(database()));
}

TEST_F(IndexCheckTest, AnIndexInAFolderThatCannotBeWrittenIsRead) {
  writer_.reset();
  const std::string damaged = folder_ / "damaged.db";
  std::filesystem::copy_file(database(), damaged);
  {
    Connection connection(damaged, Connection::Mode::kWrite);
    connection.execute("UPDATE images SET feature_count = 7 WHERE id = 1");
  }
  std::filesystem::permissions(folder_.path(), kReadOnlyFolder);
  {
    const WithoutRootRights without;
    EXPECT_THAT(problems(), IsEmpty());
    EXPECT_THAT(check_index(damaged), Contains("image 1: has 20 features instead of 7"));
  }
  std::filesystem::permissions(folder_.path(), kOpenFolder);
}

TEST_F(IndexCheckTest, AnIndexWithoutCodebookHasNoProblems) {
  const IndexWriter created(folder_ / "new.db");
  EXPECT_THAT(check_index(folder_ / "new.db"), IsEmpty());
}

TEST_F(IndexCheckTest, DamagedBlobsAreNamed) {
  const auto found = problems_after(
      "UPDATE histograms SET data = zeroblob(40) WHERE image = 4;"
      "UPDATE postings SET data = zeroblob(40) WHERE id = (SELECT min(id) FROM postings);"
      "UPDATE codebook SET words = zeroblob(40)");
  EXPECT_THAT(found, Contains(HasSubstr("histogram of image 4 is damaged")));
  EXPECT_THAT(found, Contains(HasSubstr("postings of word 0 is damaged")));
  EXPECT_THAT(found, Contains(HasSubstr("codebook 1 is damaged")));
}

TEST_F(IndexCheckTest, PartsThatContradictEachOtherAreNamed) {
  EXPECT_THAT(problems_after("UPDATE images SET feature_count = 7 WHERE id = 1"),
              Contains("image 1: has 20 features instead of 7"));
  EXPECT_THAT(problems_after("UPDATE images SET feature_count = 20, norm = 1 WHERE id = 1"),
              Contains("image 1: its norm does not match its histogram"));
}

const ImagePrints kPrints{2, {{.image = 1, .agreement = 0.5, .cells = {1, 1, {true}, {false}}}}};

TEST_F(IndexCheckTest, AnyChangedValueOfARowIsFound) {
  const SourceFile file = sample_file(1);
  const IndexRoot root{.path = "/photos",
                       .scanned_ns = 5,
                       .devices = {{.path = "/photos", .device = 1, .file_system = 2}},
                       .withheld = {file.path}};
  const SkippedFile skipped{.file = sample_file(30), .reason = "empty", .detail = "none"};
  writer_->put_roots({&root, 1});
  writer_->put_in_quarantine({&skipped, 1});
  writer_->set_derived("name", "value");
  const ImageNeighbours neighbours{2, {{1, 0.5}}};
  writer_->put_neighbours({&neighbours, 1}, 2, {&kPrints, 1});
  writer_->begin_run("index", 7);
  writer_.reset();
  ASSERT_THAT(problems(), IsEmpty());
  const std::string damaged = folder_ / "damaged.db";
  for (const std::string& table : tables_with_checksums()) {
    Connection whole(database(), Connection::Mode::kRead);
    Rows columns = whole.rows("SELECT name, type FROM pragma_table_info(?)", table);
    while (columns.next()) {
      std::filesystem::copy_file(database(), damaged,
                                 std::filesystem::copy_options::overwrite_existing);
      const std::string name(columns.text(0));
      const std::string_view type = columns.text(1);
      const char* const change = type == "INTEGER" ? "coalesce({0}, 0) + 100"
                                 : type == "REAL"  ? "{0} + 0.5"
                                 : type == "TEXT"  ? "{0} || 'x'"
                                                   : "CAST({0} || x'00' AS BLOB)";
      const std::string value = fmt::format(fmt::runtime(change), name);
      Connection(damaged, Connection::Mode::kWrite)
          .execute(fmt::format("UPDATE OR REPLACE {} SET {} = {}", table, name, value).c_str());
      EXPECT_THAT(check_index(damaged), Contains(AllOf(HasSubstr("table " + table + ": row "),
                                                       HasSubstr("does not match its checksum"))))
          << table << '.' << name;
    }
  }
}

class TotalsTest : public IndexCheckTest {
 protected:
  TotalsTest() {
    const std::string file = sample_file(1).path;
    const IndexRoot root{.path = "/photos",
                         .scanned_ns = 5,
                         .devices = {{.path = "/photos", .device = 1, .file_system = 2}},
                         .withheld = {file}};
    const SkippedFile skipped{.file = sample_file(30), .reason = "empty", .detail = "none"};
    writer_->put_roots({&root, 1});
    writer_->put_in_quarantine({&skipped, 1});
    writer_->set_derived("name", "value");
    const ImageNeighbours linked{1, {{.image = 2, .weight = 1}}};
    writer_->put_neighbours({&linked, 1}, 2, {&kPrints, 1});
    writer_->begin_run("index", 7);
  }
  // Loses what a table of the closed index has, as a page that was overwritten by an empty one
  // does.
  void lose(const std::string& table) {
    Connection(database(), Connection::Mode::kWrite).execute(("DELETE FROM " + table).c_str());
  }
};

TEST_F(TotalsTest, LostRowsAreFound) {
  writer_.reset();
  ASSERT_THAT(problems(), IsEmpty());
  const std::string whole = folder_ / "whole.db";
  std::filesystem::copy_file(database(), whole);
  for (const char* table : {"settings", "files", "quarantine", "neighbours", "prints", "derived",
                            "roots", "devices", "withheld", "runs"}) {
    std::filesystem::copy_file(whole, database(),
                               std::filesystem::copy_options::overwrite_existing);
    lose(table);
    EXPECT_THAT(problems(), Contains(AllOf(HasSubstr(std::string("table ") + table),
                                           HasSubstr("its 0 rows are not the"))));
  }
}

TEST_F(TotalsTest, ALossIsFoundAfterLaterWrites) {
  writer_.reset();
  lose("derived");
  reopen();
  writer_->set_derived("name", "other");
  EXPECT_THAT(problems(), ElementsAre("table derived: its 1 rows are not the 3 that were written"));
}

TEST_F(TotalsTest, RowsThatAreReplacedOrRemovedWithOthersAreNoLoss) {
  const IndexRoot root{.path = "/photos", .scanned_ns = 6, .withheld = {sample_file(2).path}};
  const SkippedFile skipped{.file = sample_file(30), .reason = "empty", .detail = "still"};
  writer_->put_roots({&root, 1});
  writer_->put_in_quarantine({&skipped, 1});
  writer_->set_derived("name", "other");
  remove(2);
  EXPECT_THAT(problems(), IsEmpty());
  writer_->forget_roots(std::vector<std::string>{"/photos"});
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(TotalsTest, ReplacedContentBringsItsTotalsAndKeepsTheRuns) {
  const std::filesystem::path other = folder_ / "other.db";
  {
    IndexWriter writer(other);
    writer.set_codebook(sample_codebook(), {{"extract.octaves", "4"}});
    writer.set_derived("another", "value");
  }
  writer_.reset();
  lose("derived");
  reopen();
  writer_->replace_content(other);
  EXPECT_THAT(problems(), IsEmpty());
  Connection(other, Connection::Mode::kWrite).execute("DELETE FROM derived");
  writer_->replace_content(other);
  EXPECT_THAT(problems(), ElementsAre("table derived: its 0 rows are not the 1 that were written"));
}

TEST_F(IndexCheckTest, ADamagedRunStaysDamagedWhenTheNextOneBegins) {
  writer_->begin_run("index", 7);
  Connection(database(), Connection::Mode::kWrite).execute("UPDATE runs SET started_ns = 8");
  writer_->begin_run("index", 9);
  EXPECT_THAT(problems(), ElementsAre("table runs: row 1 does not match its checksum"));
}

TEST_F(IndexCheckTest, NumbersThatCouldBeGivenAgainAreFound) {
  EXPECT_THAT(problems_after("UPDATE sqlite_sequence SET seq = 2 WHERE name = 'images'"),
              ElementsAre("images: the last number given is 2, and image 10 has a number"));
  EXPECT_THAT(problems_after("UPDATE sqlite_sequence SET seq = 1 << 32 WHERE name = 'images'"),
              ElementsAre(HasSubstr("the last number given is 4294967296")));
}

TEST_F(IndexCheckTest, ADamagedCodebookIsOneProblem) {
  EXPECT_THAT(problems_after("UPDATE codebook SET word_count = 300000000"),
              ElementsAre(HasSubstr("codebook 1 has parts that do not fit each other")));
}

TEST_F(IndexCheckTest, HistogramsOfAnotherImageAreFound) {
  const auto found = problems_after(
      "UPDATE histograms SET data = (SELECT data FROM histograms WHERE image = 2) WHERE image = 1");
  EXPECT_THAT(found, Contains(HasSubstr("histogram of image 1 is damaged")));
}

TEST_F(IndexCheckTest, LostAndStrayPostingsAreFound) {
  EXPECT_THAT(problems_after("DELETE FROM postings WHERE id = (SELECT min(id) FROM postings)"),
              Contains(HasSubstr("segment 1: has ")));
  EXPECT_THAT(problems_after("DELETE FROM tombstones"), Contains(HasSubstr("image 3: has ")));
  EXPECT_THAT(problems_after("INSERT INTO tombstones VALUES (1, 20, 0)"),
              Contains("image 1: is both live and removed"));
  EXPECT_THAT(problems_after("DELETE FROM segments WHERE id = 2"),
              Contains("segment 2: is not listed"));
}

TEST_F(IndexCheckTest, MissingRowsAreFound) {
  EXPECT_THAT(problems_after("DELETE FROM files WHERE image = 1"),
              Contains("image 1: has no file"));
  EXPECT_THAT(problems_after("DELETE FROM histograms WHERE image = 2"),
              Contains(HasSubstr("histogram of image 2 is too short")));
  EXPECT_THAT(problems_after("INSERT INTO files VALUES (x'78', 99, 1, 1, 1, 1, 1, 0)"),
              Contains(HasSubstr("refers to a missing row of images")));
}

TEST_F(IndexCheckTest, APathThatIsIndexedAndInQuarantineIsFound) {
  EXPECT_THAT(
      problems_after(
          "INSERT INTO quarantine SELECT path, 1, 1, 1, 1, 'empty', '', 0 FROM files LIMIT 1"),
      Contains("/photos/1.jpg: is both indexed and in quarantine"));
}

TEST_F(IndexCheckTest, OtherWordsThanTheHashSaysAreFound) {
  EXPECT_THAT(problems_after("UPDATE codebook SET hash = CAST(hash || x'00' AS BLOB)"),
              ElementsAre("codebook: its content does not match its hash"));
  EXPECT_THAT(problems_after("UPDATE codebook SET hash = zeroblob(16)"),
              ElementsAre("codebook: its content does not match its hash"));
  EXPECT_THAT(problems_after("UPDATE codebook SET words = (SELECT thresholds FROM codebook)"),
              ElementsAre(HasSubstr("codebook 1 has parts that do not fit each other")));
}

TEST_F(IndexCheckTest, CellsThatDoNotFitTheWordsAreFound) {
  const Codebook codebook = with_cells(sample_codebook(17));
  IndexWriter(folder_ / "cells.db").set_codebook(codebook, {});
  Connection(folder_ / "cells.db", Connection::Mode::kWrite)
      .run("UPDATE codebook SET cells = ?", encode_cells(with_cells(sample_codebook(18)).cells));
  EXPECT_THAT(check_index(folder_ / "cells.db"),
              ElementsAre(HasSubstr("codebook 1 has cells that do not fit its words")));
  EXPECT_THAT(problems_after("UPDATE codebook SET cells = zeroblob(40)"),
              ElementsAre(HasSubstr("codebook 1 is damaged")));
  Connection(folder_ / "cells.db", Connection::Mode::kWrite)
      .execute("UPDATE codebook SET cells = NULL");
  EXPECT_THAT(check_index(folder_ / "cells.db"),
              ElementsAre("codebook: its content does not match its hash"));
}

TEST_F(IndexCheckTest, ADamagedPageIsFoundAndTheRestIsStillLookedAt) {
  Connection(database(), Connection::Mode::kWrite).execute("DELETE FROM files WHERE image = 1");
  writer_.reset();  // moves the log into the file
  Bytes bytes = read_bytes(database());
  Connection connection(database(), Connection::Mode::kRead);
  Statement select(connection, "SELECT rootpage FROM sqlite_master WHERE name = 'postings'");
  Rows rows = select.rows();
  ASSERT_TRUE(rows.next());
  bytes[static_cast<std::size_t>(rows.integer(0) - 1) * kPageBytes] = 0xEE;
  write_bytes(folder_ / "damaged.db", bytes);
  const auto found = check_index(folder_ / "damaged.db");
  EXPECT_THAT(found, Contains(HasSubstr("database: ")));
  EXPECT_THAT(found, Contains("image 1: has no file"));
}

TEST_F(IndexCheckTest, WhatKeepsItFromBeingOpenedIsAProblem) {
  writer_.reset();
  const Bytes whole = read_bytes(database());
  const auto problems_of = [&](const Bytes& bytes) {
    write_bytes(folder_ / "damaged.db", bytes);
    return check_index(folder_ / "damaged.db");
  };
  ASSERT_THAT(problems_of(whole), IsEmpty());
  Bytes damaged = whole;
  std::fill_n(damaged.begin(), 4, std::uint8_t{0});  // SQLite's magic
  EXPECT_THAT(problems_of(damaged), ElementsAre(HasSubstr("it is not a database")));
  damaged = whole;
  std::fill_n(damaged.begin() + 68, 4, std::uint8_t{7});  // application_id
  EXPECT_THAT(problems_of(damaged), ElementsAre(HasSubstr("not an index of lookalike")));
  damaged = whole;
  std::fill_n(damaged.begin() + 100, 400, std::uint8_t{0xEE});  // the list of tables
  EXPECT_THAT(problems_of(damaged), ElementsAre(HasSubstr("the database is damaged")));
  EXPECT_THAT(problems_of(Bytes(5000, 'x')), ElementsAre(HasSubstr("it is not a database")));
}

TEST_F(IndexCheckTest, AFileThatWasCutOffIsDamagedWhereverThatWas) {
  writer_.reset();
  const Bytes whole = read_bytes(database());
  for (const std::size_t size : {std::size_t{50}, std::size_t{100}, kPageBytes, whole.size() / 2,
                                 whole.size() - kPageBytes}) {
    const Bytes start(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    write_bytes(folder_ / "short.db", start);
    EXPECT_THAT(check_index(folder_ / "short.db"), Not(IsEmpty())) << size;
    EXPECT_FALSE(is_empty_index(folder_ / "short.db")) << size;
  }
}

TEST_F(IndexCheckTest, AMissingFileIsAnInputError) {
  EXPECT_EQ(error_of([&] { check_index(folder_ / "none.db"); }).kind(), ErrorKind::kInput);
  EXPECT_EQ(error_of([&] { is_empty_index(folder_ / "none.db"); }).kind(), ErrorKind::kInput);
}

TEST_F(IndexCheckTest, AFileThatCannotBeReadIsAProblem) {
  writer_.reset();
  std::filesystem::permissions(folder_.path(), kOpenFolder);
  std::filesystem::permissions(database(), std::filesystem::perms::none);
  const WithoutRootRights without;
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("it cannot be opened")));
}

}  // namespace
}  // namespace lookalike
