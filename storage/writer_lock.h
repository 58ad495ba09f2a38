#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/files.h"

namespace lookalike {

// The right to write an index: an flock(2) on DATABASE.lock, which names its holder and is released
// however the holder ends. Throws Error(kStorage) with the process, host and start time of another
// holder, or the system's reason.
class WriterLock {
 public:
  explicit WriterLock(const std::filesystem::path& database);
  ~WriterLock();
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

  // Adds the inode of the open database, for require_same_file().
  void name_file(const std::filesystem::path& database) const;

 private:
  void write_holder() const;

  std::filesystem::path path_;
  FileDescriptor file_;
};

// Returns the process that holds the lock of an index, as named in the lock; nothing without one.
// Needs no write permission.
std::optional<std::string> current_writer(const std::filesystem::path& database);

// Throws Error(kStorage) if the writer of an index has another file open than the one that has its
// name now, to which the writer's log does not belong. Call it between opening and reading.
void require_same_file(const std::filesystem::path& database);

}  // namespace lookalike
