#include "storage/open_index.h"

#include <system_error>

#include "storage/schema.h"

namespace lookalike {
namespace {

bool has_unread_log(const std::filesystem::path& database) {
  std::error_code error;
  const auto size = std::filesystem::file_size(database.string() + "-wal", error);
  return !error && size > 0;
}

}  // namespace

bool is_unbegun(const std::filesystem::path& database) {
  std::error_code error;
  const auto size = std::filesystem::file_size(database, error);
  if (error) return false;
  return size == 0 || is_unbegun(Connection(database, Connection::Mode::kReadOnly));
}

Connection open_for_reading(const std::filesystem::path& database, bool& immutable) {
  if (!std::filesystem::exists(database)) {
    throw Error(ErrorKind::kInput, database.string() + ": does not exist");
  }
  if (!std::filesystem::is_regular_file(database)) {
    throw Error(ErrorKind::kInput, database.string() + ": is not a file");
  }
  try {
    Connection connection(database, Connection::Mode::kReadOnly);
    check_schema(connection);
    return connection;
  } catch (const Error& error) {
    // In a folder that cannot be written SQLite has nowhere to put the files it shares between
    // programs. With no log waiting beside it, the database is whole as it stands.
    if (error.kind() != ErrorKind::kStorage || has_unread_log(database)) throw;
  }
  Connection connection(database, Connection::Mode::kImmutable);
  check_schema(connection);
  immutable = true;
  return connection;
}

Connection open_for_writing(const std::filesystem::path& database) {
  Connection connection(database, Connection::Mode::kWrite);
  connection.execute("PRAGMA foreign_keys = ON; PRAGMA cache_size = -65536");
  // First, so that one that is killed while the tables are made leaves no journal behind, which
  // readers could not roll back.
  if (is_unbegun(connection)) connection.execute("PRAGMA journal_mode = WAL");
  migrate(connection);
  // FULL: what publish() returned from survives a power cut, so that a caller may drop its own
  // copy. It costs one sync a batch, next to nothing beside extracting one.
  connection.execute(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864");
  return connection;
}

}  // namespace lookalike
