#include "storage/schema.h"

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

TEST_F(SchemaTest, AnEmptyDatabaseIsBroughtUpFromVersionZero) {
  EXPECT_EQ(error_of([&] { check_schema(connection_); }).kind(), ErrorKind::kInput);
  migrate(connection_);
  EXPECT_EQ(number("PRAGMA user_version"), kSchemaVersion);
  EXPECT_EQ(number("SELECT count(*) FROM images"), 0);
  EXPECT_NO_THROW(check_schema(connection_));
}

TEST_F(SchemaTest, AnIndexIsRecognisedByTheStartOfItsFile) {
  connection_.execute("CREATE TABLE theirs (n)");
  EXPECT_FALSE(begins_an_index(read_bytes(folder_ / "index.db")));
  connection_.execute("DROP TABLE theirs");
  migrate(connection_);
  const Bytes bytes = read_bytes(folder_ / "index.db");
  EXPECT_TRUE(begins_an_index(bytes));
  EXPECT_TRUE(begins_an_index(ByteView(bytes).first(100)));
  EXPECT_FALSE(begins_an_index(ByteView(bytes).first(99)));
  EXPECT_FALSE(begins_an_index({}));
}

TEST_F(SchemaTest, MigratingTwiceChangesNothing) {
  migrate(connection_);
  const std::int64_t schema = number("PRAGMA schema_version");
  migrate(connection_);
  EXPECT_EQ(number("PRAGMA schema_version"), schema);
}

TEST_F(SchemaTest, AFirstMigrationThatFailsMidwayLeavesNothing) {
  // An index of version 0 with a table that the migration creates.
  connection_.execute("PRAGMA application_id = 1280003147; CREATE TABLE tombstones (x)");
  EXPECT_EQ(error_of([&] { migrate(connection_); }).kind(), ErrorKind::kStorage);
  EXPECT_EQ(number("PRAGMA user_version"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM sqlite_master"), 1);
}

TEST_F(SchemaTest, AnOlderIndexIsMigratedBeforeItIsRead) {
  migrate(connection_);
  connection_.execute("INSERT INTO settings VALUES ('kept', 'yes')");
  const std::vector<const char*> next = {kMigrations[0],
                                         "ALTER TABLE settings ADD COLUMN unit TEXT"};
  const Error error = error_of([&] { check_schema(connection_, next.size()); });
  EXPECT_EQ(error.kind(), ErrorKind::kStorage);
  EXPECT_THAT(error.what(), HasSubstr("older format 1: convert it with `lookalike migrate`"));
  migrate(connection_, next);
  EXPECT_NO_THROW(check_schema(connection_, next.size()));
  EXPECT_EQ(number("SELECT count(*) FROM settings WHERE value = 'yes' AND unit IS NULL"), 1);
  migrate(connection_, next);
  EXPECT_EQ(number("PRAGMA user_version"), 2);
}

TEST_F(SchemaTest, AMigrationThatFailsLeavesTheOlderIndex) {
  migrate(connection_);
  const std::vector<const char*> next = {kMigrations[0], "DROP TABLE runs; DROP TABLE no_such"};
  EXPECT_EQ(error_of([&] { migrate(connection_, next); }).kind(), ErrorKind::kStorage);
  EXPECT_NO_THROW(check_schema(connection_));
  EXPECT_EQ(number("SELECT count(*) FROM runs"), 0);
}

TEST_F(SchemaTest, ANewerIndexIsRefused) {
  migrate(connection_);
  connection_.execute("PRAGMA user_version = 999");
  for (const auto& call : {std::function<void()>([&] { check_schema(connection_); }),
                           std::function<void()>([&] { migrate(connection_); })}) {
    const Error error = error_of(call);
    EXPECT_EQ(error.kind(), ErrorKind::kStorage);
    EXPECT_THAT(error.what(), HasSubstr("index of format 999, and this program knows"));
    EXPECT_THAT(error.what(), HasSubstr("`lookalike index`"));
  }
}

TEST_F(SchemaTest, AForeignDatabaseIsRefusedAndLeftAlone) {
  connection_.execute("CREATE TABLE mine (x)");
  for (const auto& call : {std::function<void()>([&] { check_schema(connection_); }),
                           std::function<void()>([&] { migrate(connection_); })}) {
    const Error error = error_of(call);
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_THAT(error.what(), HasSubstr("not an index of lookalike"));
  }
  EXPECT_EQ(number("SELECT count(*) FROM sqlite_master"), 1);
}

}  // namespace
}  // namespace lookalike
