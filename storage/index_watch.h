#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <sys/types.h>
#include <tuple>

#include "storage/sqlite.h"

namespace lookalike {

// Watches an index that a long-lived process reads while others write it: reports what they
// publish, and keeps its log short. Used by one thread.
class IndexWatch {
 public:
  // database: as IndexReader takes it. Throws as IndexReader.
  explicit IndexWatch(std::filesystem::path database);

  // Whether anything was published, or the file was replaced, since the last call or the
  // constructor. Throws as IndexReader; the next call then looks again.
  bool has_changed();

  // Once the log of what was published, DATABASE-wal, is longer than this, moves it into the
  // database and empties it as far as readers allow, and waits for nobody. True when all of it was
  // moved and readers keep it from being emptied: those that were opened before it was moved do
  // until they end, later ones do not. An index that cannot be written is left alone.
  bool empty_log(std::uint64_t longer_than_bytes);

 private:
  // Device, number and time of a file, in nanoseconds; 0 for the time where SQLite sees changes.
  using FileStamp = std::tuple<dev_t, ino_t, std::int64_t>;

  FileStamp stamp() const;
  bool is_replaced() const;
  std::int64_t version();
  bool is_done(const char* checkpoint);

  const std::filesystem::path database_;
  FileStamp file_{};
  std::optional<Connection> connection_;  // to that file; never within a transaction
  std::int64_t version_ = 0;
};

}  // namespace lookalike
