#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "storage/sqlite.h"

// The tables of an index, and how the database is opened. storage/FORMATS.md describes the blobs in
// them.
namespace lookalike {

// The only version that is read and written.
inline constexpr std::size_t kSchemaVersion = 5;

// The size of SQLite's pages in a new index (D33).
inline constexpr std::size_t kPageBytes = std::size_t{32} << 10;

// Thrown for a database without tables: a first run was stopped before its first transaction.
class EmptyIndex : public Error {
 public:
  explicit EmptyIndex(const std::string& message) : Error(ErrorKind::kInput, message) {}
};

// True if a file that starts with these bytes is an index of any version. Needs 100 bytes.
inline constexpr std::size_t kBytesToTellAnIndex = 100;
bool begins_an_index(ByteView start);
// True for one that mark_as_backup() has marked. A later backup may replace it; opening it for
// writing ends that.
bool begins_a_backup(ByteView start);
// Marks a whole index without a log, which no connection has open. Throws as fail_file().
void mark_as_backup(const std::filesystem::path& database);

// Returns the tables whose rows have a checksum.
std::vector<std::string> tables_with_checksums();
// Returns the tables with a row in `totals`.
const std::vector<std::string>& tables_with_totals();
// Returns the SQL expression of a row's checksum: row_checksum(table.column, ...).
std::string checksum_of_row(std::string_view table);
// Returns an SQL condition: true if the row has that checksum.
std::string is_row_intact(std::string_view table);
// Returns "INTO table VALUES (...)", with a parameter for each column but the checksum, in order,
// and the checksum of what is bound to them.
const std::string& values_of_row(std::string_view table);
// Inserts a row with its checksum, in place of one with the same key. The values are those of its
// other columns, in order.
template <typename... Values>
void put_row(Connection& connection, std::string_view table, const Values&... values) {
  connection.run("INSERT OR REPLACE " + values_of_row(table), values...);
}

// Sets the checksums of the rows that a condition in SQL selects. Call it after each UPDATE, and
// after each INSERT but put_row(), in the same transaction.
template <typename... Values>
void seal_rows(Connection& connection, std::string_view table, std::string_view condition,
               const Values&... values) {
  std::string sql = "UPDATE ";
  sql.append(table).append(" SET checksum = ").append(checksum_of_row(table));
  connection.run(sql.append(" WHERE ").append(condition), values...);
}

[[noreturn]] void fail_for_damaged_rows(const Connection& connection, std::string_view table);
// Throws Error(kStorage) if a row that a condition in SQL selects does not match its checksum. Call
// it before an UPDATE: seal_rows() would hide the damage.
template <typename... Values>
void require_intact_rows(Connection& connection, std::string_view table, std::string_view condition,
                         const Values&... values) {
  std::string sql = "SELECT 1 FROM ";
  sql.append(table).append(" WHERE ").append(condition).append(" AND NOT ");
  sql.append(is_row_intact(table));
  if (connection.first<int>(sql, values...)) fail_for_damaged_rows(connection, table);
}

// Returns a value of the table `derived`. Throws Error(kStorage) for a damaged row.
std::optional<std::string> read_derived(Connection& connection, std::string_view name);

// Throws Error(kStorage) if an image has an impossible number, or one so far above the count of
// images that memory in proportion to it would be wasted.
void check_image_numbers(Connection& connection);

// Opens in mode kRead, or kImmutable if SQLite cannot create its files in the database's folder.
// Throws Error(kInput) if the database is missing or no index of lookalike, EmptyIndex if it has no
// tables, and Error(kStorage) if it cannot be reached, has another version or other tables,
// indexes, views or triggers than an index, or SQLite fails.
Connection open_for_reading(const std::filesystem::path& database);

// Opens a file that nobody writes, in mode kImmutable: SQLite puts no files beside it. Throws as
// open_for_reading().
Connection open_immutable(const std::filesystem::path& database);

using IndexOpener = Connection (*)(const std::filesystem::path& database);

// Creates a missing database, all or nothing. What the connection changes in a table with totals
// changes them too. Throws Error(kInput) for a foreign database and Error(kStorage) for another
// version, for other tables, indexes, views or triggers than an index has, or a database that
// cannot be written, even if there is nothing to create.
Connection open_for_writing(const std::filesystem::path& database);

// Throws unless an open database has the version kSchemaVersion.
void check_schema(Connection& connection);
// Creates the tables in an empty database, all or nothing; leaves an index alone. Throws for
// anything else.
void create_tables(Connection& connection);

}  // namespace lookalike
