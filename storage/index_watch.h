#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <sys/types.h>
#include <tuple>

#include "storage/sqlite.h"

namespace lookalike {

// Watches an index for a long-lived reader: detects what writers publish, and keeps the log short.
// Not thread-safe.
class IndexWatch {
 public:
  // Throws as IndexReader.
  explicit IndexWatch(std::filesystem::path database);

  // True if anything was published, or the file was replaced, since the last call or the
  // constructor. Throws as IndexReader; the next call then tries again.
  bool has_changed();

  // Moves the log, DATABASE-wal, into the database and empties it as far as readers allow, if it is
  // longer than this. Never waits. Returns true if all of it was moved, but readers opened before
  // keep it from being emptied. Does nothing for an index that cannot be written.
  bool empty_log(std::uint64_t longer_than_bytes);

 private:
  // Device, inode and modification time in ns; time 0 where SQLite detects changes.
  using FileStamp = std::tuple<dev_t, ino_t, std::int64_t>;

  FileStamp stamp() const;
  std::int64_t version();
  bool is_done(const char* checkpoint);

  const std::filesystem::path database_;
  FileStamp file_{};
  std::optional<Connection> connection_;  // to that file; never within a transaction
  std::int64_t version_ = 0;
};

}  // namespace lookalike
