#pragma once

#include <filesystem>

#include "storage/atomic_file.h"

namespace lookalike {

// The right to write an index: an flock(2) on DATABASE.lock, which names its holder and goes with
// it, however the holder ends. Throws Error(kStorage) naming the process, its host and since when
// when somebody else has it, and with the system's reason when the file cannot be made.
class WriterLock {
 public:
  explicit WriterLock(const std::filesystem::path& database);
  ~WriterLock();
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  bool is_current() const;
  void write_holder() const;

  std::filesystem::path path_;
  FileDescriptor file_;
};

}  // namespace lookalike
