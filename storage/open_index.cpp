#include "storage/open_index.h"

#include <system_error>

#include "storage/paths.h"
#include "storage/schema.h"

namespace lookalike {
namespace {

bool has_unread_log(const std::filesystem::path& database) {
  std::error_code error;
  const auto size = std::filesystem::file_size(database.string() + "-wal", error);
  return !error && size > 0;
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

}  // namespace

Connection open_for_reading(const std::filesystem::path& database, bool& immutable) {
  require_file(database);
  const std::filesystem::path file = resolved(database);  // once: a link since then is not ours
  try {
    Connection connection(file, Connection::Mode::kRead);
    check_schema(connection);
    return connection;
  } catch (const Error& error) {
    // In a folder that cannot be written SQLite has nowhere to put the files it shares between
    // programs. With no log waiting beside it, the database is whole as it stands.
    if (error.kind() != ErrorKind::kStorage || has_unread_log(file)) throw;
  }
  Connection connection(file, Connection::Mode::kImmutable);
  check_schema(connection);
  immutable = true;
  return connection;
}

Connection open_for_writing(const std::filesystem::path& database) {
  Connection connection(resolved(database), Connection::Mode::kWrite);
  connection.execute("PRAGMA foreign_keys = ON; PRAGMA cache_size = -16384");
  check_writable_schema(connection);
  // WAL before the tables are made, so that a writer that is killed meanwhile leaves no journal
  // behind, which readers could not roll back.
  // FULL: what publish() returned from survives a power cut, so that a caller may drop its own
  // copy. It costs one sync a batch, next to nothing beside extracting one.
  connection.execute(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864");
  migrate(connection);
  return connection;
}

}  // namespace lookalike
