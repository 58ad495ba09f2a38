#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/files.h"

namespace lookalike {

// The right to write an index: an flock(2) on DATABASE.lock, which names its holder and is released
// however the holder ends. Throws Error(kStorage) that names the holding process, its host and its
// start, or the system's reason if the file cannot be made.
class WriterLock {
 public:
  explicit WriterLock(const std::filesystem::path& database);
  ~WriterLock();
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  void write_holder() const;

  std::filesystem::path path_;
  FileDescriptor file_;
};

// The process that holds the lock of an index, as the lock names it; nothing when none does. Needs
// no right to write.
std::optional<std::string> current_writer(const std::filesystem::path& database);

}  // namespace lookalike
