#include "storage/sqlite.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/storage/samples.h"

namespace lookalike {
namespace {

using testing::HasSubstr;

class SqliteTest : public testing::Test {
 protected:
  Connection connect(Connection::Mode mode = Connection::Mode::kWrite) const {
    return {folder_ / "test.db", mode};
  }
  static std::int64_t count(const Connection& connection) {
    Statement select(connection, "SELECT count(*) FROM t");
    Rows rows = select.rows();
    EXPECT_TRUE(rows.next());
    return rows.integer(0);
  }
  TemporaryFolder folder_;
};

TEST_F(SqliteTest, ValuesOfEachTypeComeBack) {
  Connection connection = connect();
  connection.execute("CREATE TABLE t (i INTEGER, r REAL, s TEXT, b BLOB NOT NULL) STRICT");
  const Bytes blob = {1, 0, 2};
  Statement insert(connection, "INSERT INTO t VALUES (?, ?, ?, ?)");
  insert.run(std::uint64_t{1} << 63U, 0.25, std::string_view("text"), ByteView(blob));
  insert.run(-1, 0.0, std::string_view(), ByteView());
  Statement select(connection, "SELECT i, r, s, b FROM t ORDER BY rowid");
  Rows rows = select.rows();
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(static_cast<std::uint64_t>(rows.integer(0)), std::uint64_t{1} << 63U);
  EXPECT_EQ(rows.real(1), 0.25);
  EXPECT_EQ(rows.text(2), "text");
  EXPECT_THAT(rows.blob(3), testing::ElementsAreArray(blob));
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.integer(0), -1);
  EXPECT_TRUE(rows.blob(3).empty());
  EXPECT_FALSE(rows.next());
}

TEST_F(SqliteTest, ARowIsReadIntoItsTypes) {
  Connection connection = connect();
  connection.execute("CREATE TABLE t (i INTEGER, y INTEGER, r REAL, s TEXT, b BLOB) STRICT");
  EXPECT_EQ(connection.first<int>("SELECT i FROM t"), std::nullopt);
  const Bytes blob = {7, 8};
  connection.run("INSERT INTO t VALUES (?, ?, ?, ?, ?)", 5, true, 0.25, "text", blob);
  std::uint32_t integer = 0;
  bool yes = false;
  double real = 0;
  std::string text;
  std::array<std::uint8_t, 3> bytes{};
  Rows rows = connection.rows("SELECT i, y, r, s, b FROM t");
  ASSERT_TRUE(rows.next());
  rows.read(integer, yes, real, text, bytes);
  EXPECT_EQ(std::tie(integer, yes, real, text), std::make_tuple(5U, true, 0.25, "text"));
  EXPECT_THAT(bytes, testing::ElementsAre(7, 8, 0));
  EXPECT_EQ(connection.first<int>("SELECT i FROM t"), 5);
}

TEST_F(SqliteTest, AStatementWhoseRowsAreBeingReadIsNotStartedAgain) {
  Connection connection = connect();
  connection.execute("CREATE TABLE t (i INTEGER); INSERT INTO t VALUES (1), (2)");
  Rows rows = connection.rows("SELECT i FROM t");
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(error_of([&] { connection.prepared("SELECT i FROM t"); }).kind(), ErrorKind::kInternal);
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.integer(0), 2);
}

TEST_F(SqliteTest, TransactionsRollBackUnlessCommitted) {
  Connection connection = connect();
  connection.execute("CREATE TABLE t (i INTEGER)");
  {
    Transaction transaction(connection);
    connection.execute("INSERT INTO t VALUES (1)");
  }
  EXPECT_EQ(count(connection), 0);
  {
    Transaction transaction(connection);
    connection.execute("INSERT INTO t VALUES (1)");
    transaction.commit();
  }
  EXPECT_EQ(count(connection), 1);
}

TEST_F(SqliteTest, FullDiskIsNamed) {
  Connection connection = connect();
  connection.execute("CREATE TABLE t (i BLOB); PRAGMA max_page_count = 10");
  const Error error =
      error_of([&] { connection.execute("INSERT INTO t VALUES (zeroblob(1000000))"); });
  EXPECT_EQ(error.kind(), ErrorKind::kStorage);
  EXPECT_THAT(error.what(), HasSubstr("test.db: the disk is full; SQLite says: "));
}

TEST_F(SqliteTest, ReadOnlyIsNamed) {
  connect().execute("CREATE TABLE t (i INTEGER)");
  Connection reader = connect(Connection::Mode::kRead);
  const Error error = error_of([&] { reader.execute("INSERT INTO t VALUES (1)"); });
  EXPECT_EQ(error.kind(), ErrorKind::kStorage);
  EXPECT_THAT(error.what(), HasSubstr("it is read-only"));
}

TEST_F(SqliteTest, LockedIsNamed) {
  Connection first = connect();
  first.execute("CREATE TABLE t (i INTEGER)");
  const Transaction transaction(first);
  Connection second = connect();
  second.execute("PRAGMA busy_timeout = 1");
  const Error error = error_of([&] { second.execute("INSERT INTO t VALUES (1)"); });
  EXPECT_EQ(error.kind(), ErrorKind::kStorage);
  EXPECT_THAT(error.what(), HasSubstr("locked by another program"));
}

TEST_F(SqliteTest, WhatIsNoDatabaseIsAnInputError) {
  write_bytes(folder_ / "test.db", Bytes(5000, 'x'));
  Connection connection = connect(Connection::Mode::kRead);
  const Error error = error_of([&] { connection.execute("SELECT * FROM sqlite_master"); });
  EXPECT_EQ(error.kind(), ErrorKind::kInput);
  EXPECT_THAT(error.what(), HasSubstr("not a database"));
}

TEST_F(SqliteTest, ChecksumsOfRowsTellTypesAndPlacesApart) {
  Connection connection = connect();
  std::set<std::int64_t> checksums;
  for (const char* values : {"", "NULL", "0", "0.0", "''", "x''", "'0'", "x'30'", "'a', 'b'",
                             "'ab', ''", "'', 'ab'", "1", "-1", "1, NULL"}) {
    const std::string select = fmt::format("SELECT row_checksum({})", values);
    const std::int64_t checksum = connection.first<std::int64_t>(select).value();
    EXPECT_TRUE(checksums.insert(checksum).second) << values;
    EXPECT_EQ(connection.first<std::int64_t>(select), checksum);
  }
}

TEST_F(SqliteTest, NoTriggerOrViewOfTheFileRuns) {
  connect().execute(
      "CREATE TABLE t (i INTEGER); CREATE VIEW v AS SELECT * FROM t; INSERT INTO t VALUES (1);"
      "CREATE TRIGGER tr AFTER UPDATE ON t BEGIN DELETE FROM t; END");
  Connection connection = connect();
  connection.execute("UPDATE t SET i = 2");
  EXPECT_EQ(count(connection), 1);
  EXPECT_EQ(error_of([&] { connection.execute("SELECT * FROM v"); }).kind(), ErrorKind::kStorage);
}

TEST_F(SqliteTest, DamageIsNamed) {
  connect().execute("CREATE TABLE t (i INTEGER); INSERT INTO t VALUES (1)");
  Bytes bytes = read_bytes(folder_ / "test.db");
  std::fill(bytes.begin() + 4096, bytes.end(), std::uint8_t{0xFF});
  write_bytes(folder_ / "test.db", bytes);
  Connection connection = connect();
  const Error error = error_of([&] { connection.execute("SELECT * FROM t"); });
  EXPECT_EQ(error.kind(), ErrorKind::kStorage);
  EXPECT_THAT(error.what(), HasSubstr("the database is damaged"));
}

TEST_F(SqliteTest, AFolderThatIsNotThereCannotBeOpened) {
  const Error error =
      error_of([&] { Connection(folder_ / "no" / "test.db", Connection::Mode::kWrite); });
  EXPECT_EQ(error.kind(), ErrorKind::kStorage);
  EXPECT_THAT(error.what(), HasSubstr("cannot be opened"));
}

TEST_F(SqliteTest, NamesThatMeanSomethingToSqliteAreFilesAllTheSame) {
  for (const char* name : {":memory:", "100%41?mode=memory#x.db"}) {
    Connection(folder_ / name, Connection::Mode::kWrite).execute("CREATE TABLE t (i INTEGER)");
    EXPECT_TRUE(std::filesystem::exists(folder_ / name));
    EXPECT_EQ(count(Connection(folder_ / name, Connection::Mode::kImmutable)), 0);
  }
}

}  // namespace
}  // namespace lookalike
