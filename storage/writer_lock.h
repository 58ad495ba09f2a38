#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "storage/lock_file.h"

namespace lookalike {

// The right to write an index: a LockFile at DATABASE.lock. Throws at once as that if another
// process has it.
class WriterLock {
 public:
  explicit WriterLock(const std::filesystem::path& database);

  // Adds the inode of the open database, for require_same_file().
  void name_file(const std::filesystem::path& database) const;

 private:
  LockFile file_;
};

// Returns the process that holds the lock of an index, as named in the lock; nothing without one.
// Needs no write permission.
std::optional<std::string> current_writer(const std::filesystem::path& database);

// Throws Error(kStorage) if the writer of an index has another file open than the one that has its
// name now, to which the writer's log does not belong. Call it between opening and reading.
void require_same_file(const std::filesystem::path& database);

}  // namespace lookalike
