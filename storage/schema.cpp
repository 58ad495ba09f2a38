#include "storage/schema.h"

#include <algorithm>
#include <fcntl.h>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "storage/index_types.h"
#include "storage/writer_lock.h"

namespace lookalike {
namespace {

constexpr std::int64_t kApplicationId = 0x4C4B4C4B;  // "LKLK"
constexpr std::int64_t kBackupId = 0x4C4B4C42;       // "LKLB"
// Offset of application_id: https://www.sqlite.org/fileformat2.html#the_database_header
constexpr std::size_t kApplicationIdAt = 68;
constexpr std::size_t kIdBytes = 4;
// Limits of image numbers, which size memory: a number is possible up to the first, or up to the
// second times the rows of images and tombstones. An index beyond both is damaged, or has replaced
// each of its images 256 times.
constexpr std::int64_t kDenseImages = std::int64_t{1} << 24;
constexpr std::int64_t kImagesPerRow = 256;

std::int64_t number(Connection& connection, const char* sql) {
  return connection.first<std::int64_t>(sql).value_or(0);
}

// Returns the application_id of a file that starts with these bytes; nothing if it is too short or
// no SQLite database.
std::optional<std::int64_t> application_id(ByteView start) {
  constexpr std::string_view kSqlite{"SQLite format 3\0", 16};
  if (start.size() < kBytesToTellAnIndex || !text_of(start).starts_with(kSqlite)) {
    return std::nullopt;
  }
  std::int64_t id = 0;  // big-endian
  for (const std::uint8_t byte : start.subspan(kApplicationIdAt, kIdBytes)) id = id << 8 | byte;
  return id;
}

// True for an index, false for an empty database. Throws for a foreign database and for an index of
// another version.
bool is_index(Connection& connection) {
  const std::int64_t owner = number(connection, "PRAGMA application_id");
  const auto version = static_cast<std::size_t>(number(connection, "PRAGMA user_version"));
  const bool empty = number(connection, "SELECT count(*) FROM sqlite_master") == 0;
  if (empty && version == 0 && (owner == 0 || owner == kApplicationId)) return false;
  if (owner != kApplicationId && owner != kBackupId) {
    throw Error(ErrorKind::kInput,
                connection.path() + ": is an SQLite database, but not an index of lookalike");
  }
  if (version == kSchemaVersion) return true;
  throw Error(
      ErrorKind::kStorage,
      fmt::format("{}: is an index of format {}, and this program reads format {}: {}delete "
                  "it and rebuild it with `lookalike index`",
                  connection.path(), version, kSchemaVersion,
                  version > kSchemaVersion ? "use a newer lookalike, or " : ""));
}

// A table, index, view or trigger.
struct SchemaObject {
  std::string type;
  std::string name;
  std::string table;
  std::string sql;  // empty for an index that SQLite made
  bool operator==(const SchemaObject&) const = default;
};

std::vector<SchemaObject> schema_of(Connection& connection) {
  return read_all(
      connection.rows("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"),
      &SchemaObject::type, &SchemaObject::name, &SchemaObject::table, &SchemaObject::sql);
}

constexpr const char* kCreateTables = R"sql(
-- checksum: row_checksum() of the columns before it, by put_row() or seal_rows(). The blobs of the
-- tables without it have a checksum or a hash of their own.

-- What shapes a descriptor or a word, by name.
CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;

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
  pixel_count INTEGER NOT NULL,
  pixel_sum INTEGER NOT NULL,
  pixel_sum_of_squares INTEGER NOT NULL,
  page INTEGER NOT NULL DEFAULT 1,
  first INTEGER REFERENCES images (id),
  checksum INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE UNIQUE INDEX images_by_first ON images (first, page) WHERE first IS NOT NULL;

CREATE TABLE files (
  path BLOB PRIMARY KEY,
  image INTEGER NOT NULL REFERENCES images (id),
  size_bytes INTEGER NOT NULL,
  modified_ns INTEGER NOT NULL,
  changed_ns INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  links INTEGER NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
CREATE INDEX files_by_image ON files (image);

-- Files that could not be indexed.
CREATE TABLE quarantine (
  path BLOB PRIMARY KEY,
  size_bytes INTEGER NOT NULL,
  modified_ns INTEGER NOT NULL,
  changed_ns INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  reason TEXT NOT NULL,
  detail TEXT NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;

-- The record of an image: its histogram, and the geometry of each feature.
CREATE TABLE histograms (
  image INTEGER PRIMARY KEY REFERENCES images (id) ON DELETE CASCADE,
  data BLOB NOT NULL) STRICT;

-- The neighbour graph: the edges of an image. Those to removed images stay until better ones
-- replace them.
CREATE TABLE neighbours (
  image INTEGER PRIMARY KEY REFERENCES images (id) ON DELETE CASCADE,
  edges BLOB NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0) STRICT;

-- Which images are one print with other content: the edges of an image, with the cells that tell it
-- apart.
CREATE TABLE prints (
  image INTEGER PRIMARY KEY REFERENCES images (id) ON DELETE CASCADE,
  edges BLOB NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE segments (
  id INTEGER PRIMARY KEY,
  posting_count INTEGER NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0) STRICT;

-- id: segment << 32 | word. A b-tree by one integer is searched faster, and wastes less space
-- on long rows, than one by two columns.
CREATE TABLE postings (id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;

-- Removed images whose postings are still in a segment.
CREATE TABLE tombstones (
  image INTEGER PRIMARY KEY,
  posting_count INTEGER NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0) STRICT;

-- Values computed from the content as a whole, by name; they can be recomputed.
CREATE TABLE derived (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;

-- Indexed folders. scanned_ns: start of the last run that scanned all of it, or 0.
CREATE TABLE roots (
  path BLOB PRIMARY KEY,
  scanned_ns INTEGER NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;

-- The file system of each root, and of each folder below it on another one.
CREATE TABLE devices (
  path BLOB PRIMARY KEY,
  root BLOB NOT NULL REFERENCES roots (path) ON DELETE CASCADE,
  device INTEGER NOT NULL,
  file_system INTEGER NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
CREATE INDEX devices_by_root ON devices (root);

-- Indexed files that the last scan of their root did not find, but kept.
CREATE TABLE withheld (
  path BLOB PRIMARY KEY REFERENCES files (path) ON DELETE CASCADE,
  root BLOB NOT NULL REFERENCES roots (path) ON DELETE CASCADE,
  checksum INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
CREATE INDEX withheld_by_root ON withheld (root);

CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  command TEXT NOT NULL,
  started_ns INTEGER NOT NULL,
  elapsed_seconds REAL NOT NULL,
  outcome TEXT NOT NULL,
  document TEXT NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0) STRICT;

-- The rows of each table whose loss no other table shows: their number, and the sum of their
-- checksums. Kept by triggers of the writer's connection.
CREATE TABLE totals (
  name TEXT PRIMARY KEY,
  row_count INTEGER NOT NULL,
  checksums INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO totals SELECT column1, 0, 0 FROM (VALUES ('settings'), ('files'), ('quarantine'),
  ('neighbours'), ('prints'), ('derived'), ('roots'), ('devices'), ('withheld'), ('runs'));
)sql";

struct ExpectedSchema {
  ExpectedSchema() {
    Connection connection({}, Connection::Mode::kMemory);
    create_tables(connection);
    objects = schema_of(connection);
    Rows columns = connection.rows(
        "SELECT tables.name, group_concat(tables.name || '.' || columns.name, ', '), "
        "group_concat('?' || (columns.cid + 1), ', ') "
        "FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns "
        "WHERE columns.name <> 'checksum' AND EXISTS (SELECT 1 FROM "
        "pragma_table_info(tables.name) AS others WHERE others.name = 'checksum') "
        "GROUP BY tables.name");
    while (columns.next()) {
      checksums.emplace(columns.text(0), fmt::format("row_checksum({})", columns.text(1)));
      values.emplace(columns.text(0), fmt::format("INTO {0} VALUES ({1}, row_checksum({1}))",
                                                  columns.text(0), columns.text(2)));
    }
    Rows names = connection.rows("SELECT name FROM totals");
    while (names.next()) totals.emplace_back(names.text(0));
  }

  std::vector<SchemaObject> objects;
  std::map<std::string, std::string, std::less<>> checksums;  // expressions in SQL, by table
  std::map<std::string, std::string, std::less<>> values;     // see values_of_row()
  std::vector<std::string> totals;                            // tables
};

const ExpectedSchema& expected_schema() {
  static const ExpectedSchema expected;
  return expected;
}

// Throws Error(kStorage) if the database's tables, indexes, views and triggers differ from those of
// an index.
void require_expected_schema(Connection& connection) {
  const std::vector<SchemaObject> stored = schema_of(connection);
  const std::vector<SchemaObject>& expected = expected_schema().objects;
  if (stored == expected) return;
  const auto fail = [&](const SchemaObject& object, const char* what) {
    throw Error(ErrorKind::kStorage,
                fmt::format("{}: is damaged, or was changed by another program: {} the {} {}",
                            connection.path(), what, object.type, printable(object.name)));
  };
  const auto lacks = [](const std::vector<SchemaObject>& all, const SchemaObject& object) {
    return std::ranges::find(all, object) == all.end();
  };
  for (const SchemaObject& object : stored) {
    if (lacks(expected, object)) fail(object, "no index of this format has");
  }
  for (const SchemaObject& object : expected) {
    if (lacks(stored, object)) fail(object, "it lacks");
  }
  fail(stored.front(), "it has twice");
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

// Makes the changes of this connection change `totals` too. A sum keeps an earlier loss visible,
// which counting anew would hide. The triggers are the connection's own: no file may have any.
void keep_totals(Connection& connection) {
  // For the rows that INSERT OR REPLACE deletes.
  connection.execute("PRAGMA recursive_triggers = ON");
  for (const std::string& table : tables_with_totals()) {
    const auto add = [&](std::string_view event, std::string_view rows, std::string_view sum) {
      const std::string change =
          fmt::format("row_count = row_count + {}, checksums = checksums + {}", rows, sum);
      connection.execute(fmt::format("CREATE TEMP TRIGGER {0}_{1:.6} AFTER {1} ON main.{0} BEGIN "
                                     "UPDATE totals SET {2} WHERE name = '{0}'; END",
                                     table, event, change)
                             .c_str());
    };
    add("INSERT", "1", "NEW.checksum");
    add("UPDATE OF checksum", "0", "NEW.checksum - OLD.checksum");
    add("DELETE", "-1", "- OLD.checksum");
  }
}

bool has_unread_log(const std::filesystem::path& database) {
  std::error_code error;
  const auto size = std::filesystem::file_size(database.string() + "-wal", error);
  return !error && size > 0;
}

}  // namespace

bool begins_an_index(ByteView start) {
  const std::optional<std::int64_t> id = application_id(start);
  return id == kApplicationId || id == kBackupId;
}

bool begins_a_backup(ByteView start) {
  return application_id(start) == kBackupId;
}

void mark_as_backup(const std::filesystem::path& database) {
  const FileDescriptor file(::open(database.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  std::array<std::uint8_t, kIdBytes> id{};
  for (std::size_t i = 0; i < kIdBytes; ++i) {
    id.at(i) = static_cast<std::uint8_t>(kBackupId >> 8 * (kIdBytes - 1 - i));
  }
  const bool is_marked =
      file.is_open() && move_all(id.size(), [&](std::size_t done, std::size_t left) {
        return ::pwrite(file.number(), id.data() + done, left,
                        static_cast<off_t>(kApplicationIdAt + done));
      });
  if (!is_marked) fail_file(database, "cannot be written");
}

void check_schema(Connection& connection) {
  if (is_index(connection)) return;
  throw EmptyIndex(connection.path() + ": is empty: fill it with `lookalike index --images DIR`");
}

void create_tables(Connection& connection) {
  Transaction transaction(connection);
  if (!is_index(connection)) connection.execute(kCreateTables);
  connection.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                 kApplicationId, kSchemaVersion)
                         .c_str());
  transaction.commit();
}

std::vector<std::string> tables_with_checksums() {
  std::vector<std::string> tables;
  for (const auto& [table, checksum] : expected_schema().checksums) tables.push_back(table);
  return tables;
}

const std::vector<std::string>& tables_with_totals() {
  return expected_schema().totals;
}

std::string checksum_of_row(std::string_view table) {
  const auto& checksums = expected_schema().checksums;
  const auto found = checksums.find(table);
  require(found != checksums.end(), "checksum_of_row: the table has no checksums");
  return found->second;
}

const std::string& values_of_row(std::string_view table) {
  const auto& values = expected_schema().values;
  const auto found = values.find(table);
  require(found != values.end(), "values_of_row: the table has no checksums");
  return found->second;
}

std::string is_row_intact(std::string_view table) {
  return fmt::format("({}.checksum = {})", table, checksum_of_row(table));
}

void fail_for_damaged_rows(const Connection& connection, std::string_view table) {
  throw Error(ErrorKind::kStorage,
              fmt::format("{}: table {}: a row does not match its checksum: restore a backup, or "
                          "index anew",
                          connection.path(), table));
}

std::optional<std::string> read_derived(Connection& connection, std::string_view name) {
  static const std::string select =
      "SELECT value, " + is_row_intact("derived") + " FROM derived WHERE name = ?";
  Rows rows = connection.rows(select, name);
  if (!rows.next()) return std::nullopt;
  if (rows.integer(1) == 0) fail_for_damaged_rows(connection, "derived");
  return std::string(rows.text(0));
}

void check_image_numbers(Connection& connection) {
  const std::int64_t last = std::max(number(connection, "SELECT max(id) FROM images"),
                                     number(connection, "SELECT max(image) FROM tombstones"));
  const std::int64_t first = std::min(number(connection, "SELECT min(id) FROM images"),
                                      number(connection, "SELECT min(image) FROM tombstones"));
  const bool is_possible = first >= 0 && last <= std::numeric_limits<ImageId>::max();
  if (is_possible && last <= kDenseImages) return;
  const std::int64_t rows = number(
      connection, "SELECT (SELECT count(*) FROM images) + (SELECT count(*) FROM tombstones)");
  if (is_possible && last / kImagesPerRow <= rows) return;
  throw Error(ErrorKind::kStorage,
              fmt::format("{}: is damaged: it has the image number {}, and {} images: restore a "
                          "backup, or delete it and rebuild it with `lookalike index`",
                          connection.path(), first < 0 ? first : last, rows));
}

Connection open_for_reading(const std::filesystem::path& database) {
  require_file(database);
  const std::filesystem::path file = resolved(database);  // once: SQLite refuses later links
  try {
    Connection connection(file, Connection::Mode::kRead);
    require_same_file(file);
    check_schema(connection);
    require_expected_schema(connection);
    return connection;
  } catch (const Error& error) {
    // SQLite shares files between programs in the database's folder, which may be read-only.
    // Without an unread log the database is complete by itself.
    if (error.kind() != ErrorKind::kStorage || has_unread_log(file)) throw;
  }
  return open_immutable(file);
}

Connection open_immutable(const std::filesystem::path& database) {
  Connection connection(database, Connection::Mode::kImmutable);
  check_schema(connection);
  require_expected_schema(connection);
  return connection;
}

Connection open_for_writing(const std::filesystem::path& database) {
  Connection connection(resolved(database), Connection::Mode::kWrite);
  connection.execute("PRAGMA foreign_keys = ON; PRAGMA cache_size = -16384");
  if (is_index(connection)) require_expected_schema(connection);  // before the first change
  const bool is_backup = number(connection, "PRAGMA application_id") == kBackupId;
  // WAL before the tables: a writer killed in between leaves no rollback journal, which readers
  // could not roll back.
  // FULL: a publish that has returned survives a power cut, at the cost of one sync a batch.
  // secure_delete, on in Debian's SQLite, would overwrite with zeros what a merge replaces.
  connection.execute(
      fmt::format("PRAGMA page_size = {}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; "
                  "PRAGMA secure_delete = OFF; PRAGMA journal_size_limit = 67108864",
                  kPageBytes)
          .c_str());
  create_tables(connection);
  // A restored backup becomes an index at once, lest the next backup replace it.
  if (is_backup) connection.execute("PRAGMA wal_checkpoint(TRUNCATE)");
  keep_totals(connection);
  return connection;
}

}  // namespace lookalike
