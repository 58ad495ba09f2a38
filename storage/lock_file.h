#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "base/files.h"

namespace lookalike {

// An flock(2) on a file that names its holder and is removed at the end. It is released however the
// holder ends.
class LockFile {
 public:
  // Takes the lock, for which it waits as long as told. Throws Busy(what + the process, host and
  // start time of the holder), Error(kStorage) with the system's reason, or if the file exists and
  // was not written by lookalike.
  LockFile(std::filesystem::path path, const std::string& what, std::chrono::milliseconds patience);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  // Adds a line after the one that names the holder.
  void add_line(const std::string& line) const;

 private:
  void write_holder() const;

  std::filesystem::path path_;
  FileDescriptor file_;
};

// A lock that is looked at without being taken. Needs no write permission.
class SeenLock {
 public:
  explicit SeenLock(const std::filesystem::path& path);

  bool exists() const { return file_.is_open(); }
  bool is_held() const;
  // Returns the line that names the holder.
  std::string holder() const;
  std::string added_line() const;  // empty without one

 private:
  FileDescriptor file_;
};

// Waits for an flock(2). Returns false if another process has it to the end of that time. File
// systems without locks have none to wait for.
bool wait_for_lock(const FileDescriptor& file, std::chrono::milliseconds patience);

}  // namespace lookalike
