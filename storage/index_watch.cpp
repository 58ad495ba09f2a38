#include "storage/index_watch.h"

#include <sys/stat.h>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "storage/schema.h"

namespace lookalike {

IndexWatch::IndexWatch(std::filesystem::path database) : database_(std::move(database)) {
  has_changed();
}

bool IndexWatch::has_changed() {
  if (!connection_ || stamp() != file_) {
    connection_.reset();
    connection_.emplace(open_for_reading(database_));
    connection_->execute("PRAGMA busy_timeout = 0");
    file_ = stamp();
    version_ = version();
    return true;
  }
  const std::int64_t now = version();
  return std::exchange(version_, now) != now;
}

// A number that changes with the transactions of other connections.
std::int64_t IndexWatch::version() {
  return connection_->first<std::int64_t>("PRAGMA data_version").value();
}

// SQLite detects no changes over an immutable connection, so the file's time counts as well.
IndexWatch::FileStamp IndexWatch::stamp() const {
  struct stat named {};
  ::stat(database_.c_str(), &named);
  return {named.st_dev, named.st_ino,
          connection_ && connection_->is_immutable() ? modified_ns(named) : 0};
}

bool IndexWatch::empty_log(std::uint64_t longer_than_bytes) {
  if (!connection_) return false;
  std::error_code error;
  const auto size = std::filesystem::file_size(connection_->path() + "-wal", error);
  if (error || size <= longer_than_bytes) return false;
  try {
    // First without the writer's lock, so that a run does not wait while pages are moved.
    if (!is_done("PRAGMA wal_checkpoint(PASSIVE)")) return false;
    return !is_done("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (const Error&) {
    return false;  // not writable
  }
}

// Runs a checkpoint; true if nothing blocked it and it moved the whole log.
bool IndexWatch::is_done(const char* checkpoint) {
  Rows rows = connection_->rows(checkpoint);
  if (!rows.next()) return false;
  std::int64_t busy = 0;
  std::int64_t pages = 0;
  std::int64_t moved = 0;
  rows.read(busy, pages, moved);
  return busy == 0 && pages == moved;
}

}  // namespace lookalike
