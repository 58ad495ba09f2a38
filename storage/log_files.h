#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <sys/types.h>
#include <utility>

namespace lookalike {

// The files that SQLite keeps beside an open database, DATABASE-wal and DATABASE-shm, by device and
// inode.
class LogFiles {
 public:
  // Takes the path of an open database. Opens nothing: closing a file would release SQLite's locks
  // on it.
  explicit LogFiles(const std::filesystem::path& database);

  // Removes the files that still have their names. For a database that has lost its own: the log
  // would be applied to the file that has the name now.
  void remove() const;

 private:
  using FileId = std::pair<dev_t, ino_t>;
  struct LogFile {
    std::filesystem::path path;
    std::optional<FileId> id;  // nothing for a missing file
  };
  static std::optional<FileId> id_of(const std::filesystem::path& file);

  std::array<LogFile, 2> files_;
};

}  // namespace lookalike
