#include "storage/schema.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/storage/samples.h"

namespace lookalike {
namespace {

using testing::HasSubstr;

class SchemaTest : public testing::Test {
 protected:
  std::int64_t number(const char* sql) {
    Statement statement(connection_, sql);
    Rows rows = statement.rows();
    EXPECT_TRUE(rows.next());
    return rows.integer(0);
  }
  TemporaryFolder folder_;
  Connection connection_{folder_ / "index.db", Connection::Mode::kWrite};
};

TEST_F(SchemaTest, AnEmptyDatabaseGetsTheTables) {
  EXPECT_EQ(error_of([&] { check_schema(connection_); }).kind(), ErrorKind::kInput);
  create_tables(connection_);
  EXPECT_EQ(number("PRAGMA user_version"), kSchemaVersion);
  EXPECT_EQ(number("SELECT count(*) FROM images"), 0);
  EXPECT_NO_THROW(check_schema(connection_));
}

TEST_F(SchemaTest, AnIndexIsRecognisedByTheStartOfItsFile) {
  connection_.execute("CREATE TABLE theirs (n)");
  EXPECT_FALSE(begins_an_index(read_bytes(folder_ / "index.db")));
  connection_.execute("DROP TABLE theirs");
  create_tables(connection_);
  const Bytes bytes = read_bytes(folder_ / "index.db");
  EXPECT_TRUE(begins_an_index(bytes));
  EXPECT_TRUE(begins_an_index(ByteView(bytes).first(100)));
  EXPECT_FALSE(begins_an_index(ByteView(bytes).first(99)));
  EXPECT_FALSE(begins_an_index({}));
}

TEST_F(SchemaTest, CreatingTablesTwiceChangesNothing) {
  create_tables(connection_);
  const std::int64_t schema = number("PRAGMA schema_version");
  create_tables(connection_);
  EXPECT_EQ(number("PRAGMA schema_version"), schema);
}

TEST_F(SchemaTest, AnotherVersionIsRefusedAndLeftAlone) {
  const std::vector<std::pair<int, const char*>> versions = {
      {0, "index of format 0, and this program reads format 5: delete it and rebuild it"},
      {2, "index of format 2, and this program reads format 5: delete it and rebuild it"},
      {999, "index of format 999, and this program reads format 5: use a newer lookalike, or"}};
  connection_.execute("PRAGMA application_id = 1280003147; CREATE TABLE files (path)");
  for (const auto& [version, message] : versions) {
    connection_.execute(fmt::format("PRAGMA user_version = {}", version).c_str());
    for (const auto& call : {check_schema, create_tables}) {
      const Error error = error_of([&] { call(connection_); });
      EXPECT_EQ(error.kind(), ErrorKind::kStorage);
      EXPECT_THAT(error.what(), HasSubstr(message));
    }
    EXPECT_EQ(number("SELECT count(*) FROM sqlite_master"), 1);
    EXPECT_EQ(number("PRAGMA user_version"), version);
  }
}

TEST_F(SchemaTest, AForeignDatabaseIsRefusedAndLeftAlone) {
  connection_.execute("CREATE TABLE mine (x)");
  for (const auto& call : {check_schema, create_tables}) {
    const Error error = error_of([&] { call(connection_); });
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_THAT(error.what(), HasSubstr("not an index of lookalike"));
  }
  EXPECT_EQ(number("SELECT count(*) FROM sqlite_master"), 1);
}

TEST_F(SchemaTest, ChecksumsCoverAllColumnsOfATable) {
  create_tables(connection_);
  const std::vector<std::string> tables = tables_with_checksums();
  for (const char* table :
       {"settings", "images", "files", "quarantine", "neighbours", "prints", "segments",
        "tombstones", "derived", "roots", "devices", "withheld", "runs"}) {
    EXPECT_THAT(tables, testing::Contains(table));
  }
  EXPECT_EQ(checksum_of_row("withheld"), "row_checksum(withheld.path, withheld.root)");
  for (const std::string& table : tables) {
    const auto columns = connection_.first<std::int64_t>(
        "SELECT count(*) FROM pragma_table_info(?) WHERE name <> 'checksum'", table);
    EXPECT_EQ(std::ranges::count(checksum_of_row(table), '.'), columns) << table;
  }
}

TEST_F(SchemaTest, OtherTablesViewsAndTriggersThanAnIndexHasAreRefused) {
  create_tables(connection_);
  open_for_reading(folder_ / "index.db");
  const std::vector<std::pair<const char*, const char*>> changes = {
      {"DROP TABLE derived; CREATE VIEW derived AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL "
       "SELECT i + 1 FROM n) SELECT i AS name, i AS value FROM n",
       "has the view derived"},
      {"CREATE TRIGGER t AFTER INSERT ON files BEGIN DELETE FROM images; END", "has the trigger t"},
      {"CREATE TABLE mine (x)", "has the table mine"},
      {"DROP INDEX files_by_image", "it lacks the index files_by_image"},
      {"ALTER TABLE runs ADD COLUMN note TEXT", "has the table runs"}};
  for (const auto& [sql, what] : changes) {
    const std::string file = folder_ / "changed.db";
    std::filesystem::copy_file(folder_ / "index.db", file,
                               std::filesystem::copy_options::overwrite_existing);
    Connection(file, Connection::Mode::kWrite).execute(sql);
    for (const auto& open : {open_for_reading, open_for_writing}) {
      const Error error = error_of([&] { open(file); });
      EXPECT_EQ(error.kind(), ErrorKind::kStorage);
      EXPECT_THAT(error.what(), HasSubstr(what));
    }
  }
}

TEST_F(SchemaTest, NumbersOfImagesThatWouldWasteMemoryAreRefused) {
  create_tables(connection_);
  const auto insert = [&](const char* table, const char* columns, std::int64_t number,
                          const char* more) {
    connection_.execute(fmt::format("DELETE FROM images; DELETE FROM tombstones; "
                                    "INSERT INTO {} ({}) VALUES ({}, {})",
                                    table, columns, number, more)
                            .c_str());
  };
  const char* const kImage =
      "id, content, width, height, blank, feature_count, norm, pixel_count, pixel_sum, "
      "pixel_sum_of_squares";
  const auto check = [&] { check_image_numbers(connection_); };
  for (const std::int64_t number : {4294967295L, 4294967296L, 16777217L, -1L, 1L << 62U}) {
    insert("tombstones", "image, posting_count", number, "1");
    EXPECT_THAT(error_of(check).what(), HasSubstr(fmt::format("image number {},", number)));
    insert("images", kImage, number, "x'', 1, 1, 0, 0, 0, 0, 0, 0");
    EXPECT_THAT(error_of(check).what(), HasSubstr(fmt::format("image number {},", number)));
  }
  insert("tombstones", "image, posting_count", 16777216, "1");
  EXPECT_NO_THROW(check());
}

}  // namespace
}  // namespace lookalike
