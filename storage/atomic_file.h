#pragma once

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <sys/types.h>

#include "storage/byte_stream.h"

namespace lookalike {

// A file descriptor that is closed in the end.
class FileDescriptor {
 public:
  explicit FileDescriptor(int number = -1) : number_(number) {}
  ~FileDescriptor();
  FileDescriptor(FileDescriptor&& other) noexcept;
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

// Reads or writes `bytes` bytes by move(done, left), which does a part and returns how much, as
// read and write do, until all is done; false, with errno, on an error and where nothing is moved
// any more (EIO).
template <typename Move>
bool moves_all(std::size_t bytes, const Move& move) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t moved = move(done, bytes - done);
    if (moved > 0) {
      done += static_cast<std::size_t>(moved);
    } else if (moved == 0 || errno != EINTR) {
      if (moved == 0) errno = EIO;
      return false;
    }
  }
  return true;
}

// Buffers writes to an open file. Its destructor does not flush.
// Throws Error(kStorage, "NAME: cannot be ...: the system's reason").
class BufferedFile {
 public:
  // name: what messages call the file.
  BufferedFile(FileDescriptor file, std::filesystem::path name);

  void write(ByteView bytes);
  void flush();
  int number() const { return file_.number(); }
  [[noreturn]] void fail(const char* what) const { fail(name_, what); }
  [[noreturn]] static void fail(const std::filesystem::path& name, const char* what);  // by errno

 private:
  void write_out(ByteView bytes);

  FileDescriptor file_;
  std::filesystem::path name_;
  Bytes buffer_;
};

// A file that appears whole or not at all: written under a temporary name in the target's folder,
// synced and renamed by a commit. Destroyed before that, it leaves nothing, and a target that was
// there stays as it was. Throws Error(kStorage) with the system's reason.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(ByteView bytes) { file_.write(bytes); }
  // Replaces the target, and keeps its permission bits if it is a regular file.
  void commit();
  // Renames only if nothing has the target's name; otherwise returns false. File systems that can
  // neither rename without replacing nor link (some FUSE ones) may replace a file that appears
  // during the call.
  bool commit_new();

 private:
  BufferedFile open_temporary();
  void finish();
  bool rename_to_new();
  void sync_folder();

  std::filesystem::path target_;
  std::filesystem::path temporary_;  // empty once it is gone
  BufferedFile file_;
};

}  // namespace lookalike
