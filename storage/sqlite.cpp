#include "storage/sqlite.h"

#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/content_hash.h"
#include "base/files.h"
#include "base/text.h"

namespace lookalike {
namespace {

constexpr int kBusyTimeoutMs = 5000;

// SQLite's statistics of memory, which all threads of a query would count under one lock. They are
// switched off before main(), while no thread uses SQLite; later calls have no effect.
[[maybe_unused]] const int kStatistics = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);

constexpr std::pair<int, const char*> kCauses[] = {
    {SQLITE_FULL, "the disk is full"},
    {SQLITE_READONLY, "it is read-only"},
    {SQLITE_BUSY, "it is locked by another program"},
    {SQLITE_LOCKED, "it is locked by another program"},
    {SQLITE_NOTADB, "it is not a database"},
    {SQLITE_CORRUPT, "the database is damaged"},
    {SQLITE_CANTOPEN, "it cannot be opened"},
    {SQLITE_IOERR, "the disk failed"},
    {SQLITE_NOMEM, "out of memory"},
    {SQLITE_TOOBIG, "a value is too large"},
    {SQLITE_CONSTRAINT, "the data contradicts what is stored"},
};

const char* cause_of(int code) {
  const auto* cause =
      std::ranges::find(kCauses, code & 0xFF, [](auto& each) { return each.first; });
  return cause == std::end(kCauses) ? "the database failed" : cause->second;
}

[[noreturn]] void fail(int code, const std::string& path, const char* words) {
  const auto kind = (code & 0xFF) == SQLITE_NOTADB ? ErrorKind::kInput : ErrorKind::kStorage;
  throw Error(kind, fmt::format("{}: {}; SQLite says: {}", path, cause_of(code), words));
}

std::string path_of(sqlite3* handle) {
  const char* path = sqlite3_db_filename(handle, "main");
  return path == nullptr ? std::string() : std::string(path);
}

[[noreturn]] void fail(int code, sqlite3* handle) {
  fail(code, path_of(handle), sqlite3_errmsg(handle));
}

// The type is hashed as well, so that an empty text, an empty blob and NULL differ.
void put_value(ByteWriter& out, sqlite3_value* value) {
  const int type = sqlite3_value_type(value);
  out.put<std::uint8_t>(static_cast<std::uint8_t>(type));
  switch (type) {
    case SQLITE_INTEGER:
      return out.put<std::int64_t>(sqlite3_value_int64(value));
    case SQLITE_FLOAT:
      return out.put<double>(sqlite3_value_double(value));
    case SQLITE_TEXT:
    case SQLITE_BLOB: {
      const auto* data = static_cast<const char*>(sqlite3_value_blob(value));
      const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
      return out.put_text({data, size});
    }
    default:
      return;
  }
}

void row_checksum(sqlite3_context* context, int count, sqlite3_value** values) noexcept {
  try {
    ByteWriter row;
    for (int i = 0; i < count; ++i) put_value(row, values[i]);
    // Signed: SQLite stores it in four bytes.
    sqlite3_result_int(context, static_cast<std::int32_t>(checksum(row.view())));
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

// Lets SQL that came with the file do nothing: the tables of an index need only row_checksum().
void restrict_schema(sqlite3* handle) {
  constexpr std::pair<int, int> kSettings[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                               {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                               {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                               {SQLITE_DBCONFIG_ENABLE_VIEW, 0}};
  for (const auto& [setting, value] : kSettings) {
    sqlite3_db_config(handle, setting, value, nullptr);
  }
}

}  // namespace

void Connection::Close::operator()(sqlite3* handle) const noexcept {
  sqlite3_close_v2(handle);
}

Connection::Connection(const std::filesystem::path& file, Mode mode)
    : immutable_(mode == Mode::kImmutable) {
  // Absolute: SQLite gives some names, such as ":memory:", a meaning of their own.
  const bool in_memory = mode == Mode::kMemory;
  const std::string path = in_memory ? ":memory:" : std::filesystem::absolute(file).string();
  // SQLite falls back to reading if the file cannot be written.
  const int flags = (immutable_ ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI : SQLITE_OPEN_READWRITE) |
                    (mode == Mode::kWrite || in_memory ? SQLITE_OPEN_CREATE : 0) |
                    SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW;
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(immutable_ ? (file_uri(path) + "?immutable=1").c_str() : path.c_str(),
                      &handle, flags, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) {
    fail(code, path, handle == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle));
  }
  sqlite3_busy_timeout(handle, kBusyTimeoutMs);
  restrict_schema(handle);
  const int made = sqlite3_create_function_v2(handle, "row_checksum", -1,
                                              SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                              nullptr, row_checksum, nullptr, nullptr, nullptr);
  if (made != SQLITE_OK) fail(made, handle);
  if (mode == Mode::kRead) execute("PRAGMA query_only = 1");
}

void Connection::execute(const char* sql) {
  const int code = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code, handle_.get());
}

Statement& Connection::prepared(std::string_view sql) {
  const auto found = statements_.find(sql);
  if (found == statements_.end()) {
    return statements_.emplace(sql, Statement(*this, sql)).first->second;
  }
  require(!found->second.is_running(), "Connection::prepared: the statement's rows have not ended");
  return found->second;
}

void Connection::copy_to(const std::filesystem::path& file,
                         const std::function<void(std::size_t, std::size_t)>& watch,
                         int pages_at_once) {
  sqlite3* opened = nullptr;
  // Without locks, which some network file systems lack: nobody else knows the file.
  const int code = sqlite3_open_v2(
      (file_uri(file) + "?nolock=1").c_str(), &opened,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW,
      nullptr);
  const std::unique_ptr<sqlite3, Close> copy(opened);
  if (code != SQLITE_OK) {
    fail(code, file, opened == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(opened));
  }
  sqlite3_exec(opened, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", nullptr, nullptr,
               nullptr);
  // A write of another connection would start the copy anew, were it not for this transaction.
  execute("BEGIN; SELECT count(*) FROM sqlite_master");
  std::unique_ptr<sqlite3_backup, decltype(&sqlite3_backup_finish)> backup(
      sqlite3_backup_init(opened, "main", handle(), "main"), sqlite3_backup_finish);
  int step = backup == nullptr ? sqlite3_errcode(opened) : SQLITE_OK;
  while (step == SQLITE_OK) {
    step = sqlite3_backup_step(backup.get(), pages_at_once);
    const auto all = static_cast<std::size_t>(sqlite3_backup_pagecount(backup.get()));
    watch(all - static_cast<std::size_t>(sqlite3_backup_remaining(backup.get())), all);
  }
  backup.reset();
  execute("COMMIT");
  if (step == SQLITE_DONE) return;
  const bool is_read = (step & 0xFF) == SQLITE_CORRUPT;
  fail(step, is_read ? std::filesystem::path(path()) : file, sqlite3_errmsg(opened));
}

std::int64_t Connection::last_insert_id() const {
  return sqlite3_last_insert_rowid(handle_.get());
}

std::string Connection::path() const {
  return path_of(handle_.get());
}

bool Connection::has_lost_name() const {
  int moved = 0;
  const int code = sqlite3_file_control(handle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return code == SQLITE_OK && moved != 0;
}

void Connection::require_name() const {
  if (!has_lost_name()) return;
  std::error_code error;
  const bool is_replaced = std::filesystem::exists(path(), error);
  throw Error(ErrorKind::kStorage, fmt::format("{}: was {} while it was being written", path(),
                                               is_replaced ? "replaced" : "removed or moved away"));
}

Rows::~Rows() {
  sqlite3_reset(statement_);
}

bool Rows::next() {
  const int code = sqlite3_step(statement_);
  if (code != SQLITE_ROW && code != SQLITE_DONE) fail(code, sqlite3_db_handle(statement_));
  return code == SQLITE_ROW;
}

std::int64_t Rows::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

double Rows::real(int column) const {
  return sqlite3_column_double(statement_, column);
}

std::string_view Rows::text(int column) const {
  return text_of(blob(column));
}

ByteView Rows::blob(int column) const {
  const auto* data = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_, column));
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const noexcept {
  sqlite3_finalize(statement);
}

Statement::Statement(const Connection& connection, std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(connection.handle(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  statement_.reset(statement);
  if (code != SQLITE_OK) fail(code, connection.handle());
}

bool Statement::is_running() const {
  return sqlite3_stmt_busy(statement_.get()) != 0;
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) fail(code, sqlite3_db_handle(statement_.get()));
}

void Statement::bind_null(int position) {
  check(sqlite3_bind_null(statement_.get(), position));
}

void Statement::bind(int position, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), position, value));
}

void Statement::bind(int position, double value) {
  check(sqlite3_bind_double(statement_.get(), position, value));
}

void Statement::bind(int position, std::string_view value) {
  const char* data = value.empty() ? "" : value.data();
  check(sqlite3_bind_text64(statement_.get(), position, data, value.size(), SQLITE_STATIC,
                            SQLITE_UTF8));
}

void Statement::bind(int position, ByteView value) {
  // A null pointer would bind NULL instead of an empty blob.
  const void* data = value.empty() ? static_cast<const void*>("") : value.data();
  check(sqlite3_bind_blob64(statement_.get(), position, data, value.size(), SQLITE_STATIC));
}

Transaction::Transaction(Connection& connection) : connection_(connection) {
  connection.require_name();
  connection.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  // Unless a commit or an error ended the transaction.
  if (sqlite3_get_autocommit(connection_.handle()) == 0) {
    sqlite3_exec(connection_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

void Transaction::commit() {
  connection_.require_name();
  connection_.execute("COMMIT");
}

}  // namespace lookalike
