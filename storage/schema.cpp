#include "storage/schema.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "base/files.h"
#include "storage/writer_lock.h"

namespace lookalike {
namespace {

constexpr std::int64_t kApplicationId = 0x4C4B4C4B;  // "LKLK"

std::int64_t number(Connection& connection, const char* sql) {
  return connection.first<std::int64_t>(sql).value_or(0);
}

// The version of an index; nothing for an empty database. Throws for a foreign database and for
// versions above `newest`.
std::optional<std::size_t> stored_version(Connection& connection, std::size_t newest) {
  const std::int64_t owner = number(connection, "PRAGMA application_id");
  const auto version = static_cast<std::size_t>(number(connection, "PRAGMA user_version"));
  const bool empty = number(connection, "SELECT count(*) FROM sqlite_master") == 0;
  if (empty && version == 0 && (owner == 0 || owner == kApplicationId)) return std::nullopt;
  if (owner != kApplicationId) {
    throw Error(ErrorKind::kInput,
                connection.path() + ": is an SQLite database, but not an index of lookalike");
  }
  if (version > newest) {
    throw Error(ErrorKind::kStorage,
                fmt::format("{}: is an index of format {}, and this program knows formats up to "
                            "{}: use a newer lookalike, or delete the index and rebuild it with "
                            "`lookalike index`",
                            connection.path(), version, newest));
  }
  return version;
}

void require_file(const std::filesystem::path& database) {
  using std::filesystem::file_type;
  std::error_code error;
  const file_type type = std::filesystem::status(database, error).type();
  if (type == file_type::regular) return;
  if (type == file_type::none) {
    throw Error(ErrorKind::kStorage, database.string() + ": cannot be reached: " + error.message());
  }
  throw Error(
      ErrorKind::kInput,
      database.string() + (type == file_type::not_found ? ": does not exist" : ": is not a file"));
}

bool has_unread_log(const std::filesystem::path& database) {
  std::error_code error;
  const auto size = std::filesystem::file_size(database.string() + "-wal", error);
  return !error && size > 0;
}

}  // namespace

const std::array<const char*, kSchemaVersion> kMigrations = {R"sql(
-- What shapes a descriptor or a word, by name.
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- One row once there is a codebook. cells: NULL if a feature is compared with all words.
CREATE TABLE codebook (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  hash BLOB NOT NULL,
  descriptor_size INTEGER NOT NULL,
  word_count INTEGER NOT NULL,
  words BLOB NOT NULL,
  projection BLOB NOT NULL,
  thresholds BLOB NOT NULL,
  cells BLOB) STRICT;

-- AUTOINCREMENT: ids are never reused, so postings of a removed image cannot become another's.
-- first: the image of the file's first page, whose paths are those of all pages; NULL for that
-- image itself.
CREATE TABLE images (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  content BLOB NOT NULL UNIQUE,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  blank INTEGER NOT NULL,
  feature_count INTEGER NOT NULL,
  norm REAL NOT NULL,
  page INTEGER NOT NULL DEFAULT 1,
  first INTEGER REFERENCES images (id)) STRICT;
CREATE UNIQUE INDEX images_by_first ON images (first, page) WHERE first IS NOT NULL;

CREATE TABLE files (
  path BLOB PRIMARY KEY,
  image INTEGER NOT NULL REFERENCES images (id),
  size_bytes INTEGER NOT NULL,
  modified_ns INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX files_by_image ON files (image);

-- Files that could not be indexed.
CREATE TABLE quarantine (
  path BLOB PRIMARY KEY,
  size_bytes INTEGER NOT NULL,
  modified_ns INTEGER NOT NULL,
  reason TEXT NOT NULL,
  detail TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE statistics (
  image INTEGER PRIMARY KEY REFERENCES images (id) ON DELETE CASCADE,
  pixel_count INTEGER NOT NULL,
  pixel_sum INTEGER NOT NULL,
  pixel_sum_of_squares INTEGER NOT NULL) STRICT;

CREATE TABLE histograms (
  image INTEGER PRIMARY KEY REFERENCES images (id) ON DELETE CASCADE,
  data BLOB NOT NULL) STRICT;

CREATE TABLE forward (
  image INTEGER PRIMARY KEY REFERENCES images (id) ON DELETE CASCADE,
  data BLOB NOT NULL) STRICT;

CREATE TABLE segments (id INTEGER PRIMARY KEY, posting_count INTEGER NOT NULL) STRICT;

-- id: segment << 32 | word. A b-tree by one integer is searched faster, and wastes less space
-- on long rows, than one by two columns.
CREATE TABLE postings (id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;

-- Removed images whose postings are still in a segment.
CREATE TABLE tombstones (image INTEGER PRIMARY KEY, posting_count INTEGER NOT NULL) STRICT;

-- Values computed from the content as a whole, by name; they can be recomputed.
CREATE TABLE derived (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- Indexed folders. scanned_ns: start of the last run that scanned all of it, or 0.
CREATE TABLE roots (path BLOB PRIMARY KEY, scanned_ns INTEGER NOT NULL) STRICT, WITHOUT ROWID;

-- The file system of each root, and of each folder below it on another one.
CREATE TABLE devices (
  path BLOB PRIMARY KEY,
  root BLOB NOT NULL REFERENCES roots (path) ON DELETE CASCADE,
  device INTEGER NOT NULL,
  file_system INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX devices_by_root ON devices (root);

-- Indexed files that the last scan of their root did not find, but kept.
CREATE TABLE withheld (
  path BLOB PRIMARY KEY REFERENCES files (path) ON DELETE CASCADE,
  root BLOB NOT NULL REFERENCES roots (path) ON DELETE CASCADE) STRICT, WITHOUT ROWID;
CREATE INDEX withheld_by_root ON withheld (root);

CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  command TEXT NOT NULL,
  started_ns INTEGER NOT NULL,
  elapsed_seconds REAL NOT NULL,
  outcome TEXT NOT NULL,
  document TEXT NOT NULL) STRICT;
)sql"};

bool begins_an_index(ByteView start) {
  // https://www.sqlite.org/fileformat2.html#the_database_header
  constexpr std::string_view kSqlite{"SQLite format 3\0", 16};
  constexpr std::size_t kApplicationIdAt = 68;
  if (start.size() < kBytesToTellAnIndex) return false;
  std::int64_t id = 0;  // big-endian
  for (const std::uint8_t byte : start.subspan(kApplicationIdAt, 4)) id = id << 8 | byte;
  return std::ranges::equal(start.first(kSqlite.size()), kSqlite, {}, {},
                            [](char c) { return static_cast<std::uint8_t>(c); }) &&
         id == kApplicationId;
}

void check_schema(Connection& connection, std::size_t newest) {
  const std::optional<std::size_t> version = stored_version(connection, newest);
  if (!version) {
    throw EmptyIndex(connection.path() + ": is empty: fill it with `lookalike index --images DIR`");
  }
  if (*version < newest) {
    throw Error(ErrorKind::kStorage,
                fmt::format("{}: is an index of the older format {}: convert it with `lookalike "
                            "migrate`",
                            connection.path(), *version));
  }
}

void migrate(Connection& connection, std::span<const char* const> migrations) {
  Transaction transaction(connection);
  const std::size_t version = stored_version(connection, migrations.size()).value_or(0);
  for (const char* migration : migrations.subspan(version)) connection.execute(migration);
  connection.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                 kApplicationId, migrations.size())
                         .c_str());
  transaction.commit();
}

Connection open_for_reading(const std::filesystem::path& database) {
  require_file(database);
  const std::filesystem::path file = resolved(database);  // once: SQLite refuses later links
  try {
    Connection connection(file, Connection::Mode::kRead);
    require_same_file(file);
    check_schema(connection);
    return connection;
  } catch (const Error& error) {
    // SQLite shares files between programs in the database's folder, which may be read-only.
    // Without an unread log the database is complete by itself.
    if (error.kind() != ErrorKind::kStorage || has_unread_log(file)) throw;
  }
  Connection connection(file, Connection::Mode::kImmutable);
  check_schema(connection);
  return connection;
}

Connection open_for_writing(const std::filesystem::path& database) {
  Connection connection(resolved(database), Connection::Mode::kWrite);
  connection.execute("PRAGMA foreign_keys = ON; PRAGMA cache_size = -16384");
  stored_version(connection, kSchemaVersion);  // before the first change to the file
  // WAL before the tables: a writer killed in between leaves no rollback journal, which readers
  // could not roll back.
  // FULL: a publish that has returned survives a power cut, at the cost of one sync a batch.
  // secure_delete, on in Debian's SQLite, would overwrite with zeros what a merge replaces.
  connection.execute(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = OFF; "
      "PRAGMA journal_size_limit = 67108864");
  migrate(connection);
  return connection;
}

}  // namespace lookalike
