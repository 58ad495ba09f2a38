#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/types.h>
#include <vector>

// File descriptors, resolved names, and files that appear whole.
namespace lookalike {

// Owns a file descriptor.
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

// Reads or writes `bytes` bytes by move(done, left), which returns the size of the part that it
// moved as read(2) and write(2) do. Returns false with errno on an error and at an early end (EIO).
template <typename Move>
bool move_all(std::size_t bytes, const Move& move) {
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

inline std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
inline std::string_view text_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline std::int64_t ns_since_epoch(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}
// Returns the modification time in nanoseconds since the epoch.
inline std::int64_t modified_ns(const struct stat& status) {
  return ns_since_epoch(status.st_mtim);
}

// Returns the absolute name of a file with all links followed; the file need not exist. Opening it
// with O_NOFOLLOW never follows a link made since. Throws Error(kInput) for links in a circle.
std::filesystem::path resolved(const std::filesystem::path& file);

// True if the name, through links, leads to the open file.
bool leads_to(const std::filesystem::path& name, const FileDescriptor& file);

// Reads a file, or its first `at_most` bytes. Returns nothing, with errno, if it cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& file,
                                     std::size_t at_most = std::numeric_limits<std::size_t>::max());

// Throws Error(kStorage, "NAME: WHAT: the reason in errno").
[[noreturn]] void fail_file(const std::filesystem::path& name, const char* what);

// Buffers writes to an open file. The destructor does not flush. Throws as fail_file().
class BufferedFile {
 public:
  BufferedFile(FileDescriptor file, std::filesystem::path name);  // `name` is for messages

  void write(std::span<const std::uint8_t> bytes);
  void flush();
  int number() const { return file_.number(); }

 private:
  void write_out(std::span<const std::uint8_t> bytes);

  FileDescriptor file_;
  std::filesystem::path name_;
  std::vector<std::uint8_t> buffer_;
};

// A file that appears whole or not at all: written under a temporary name in the target's folder,
// .NAME.PID.N.tmp, synced and renamed by a commit. Without one, an existing target stays as it was.
// The temporary file is locked by flock(2). The constructor removes unlocked temporary files of the
// same target: killed processes left them. Throws Error(kStorage) with the system's reason.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::uint8_t> bytes) { file_.write(bytes); }
  const std::filesystem::path& temporary() const { return temporary_; }
  // Takes the right to write the file from all but its owner, whatever the umask.
  void forbid_others_to_write();
  // Replaces the target; keeps the permission bits of a regular file.
  void commit(bool is_synced = true);
  // Returns false if the target exists. A file that appears during the call may be replaced on file
  // systems that can neither rename without replacing nor link (some FUSE ones).
  bool commit_new();

 private:
  BufferedFile open_temporary();
  void finish();
  bool rename_to_new();
  void sync_folder();

  std::filesystem::path target_;
  std::filesystem::path temporary_;  // empty after the commit
  BufferedFile file_;
};

// Writes a whole AtomicFile; need not be synced if it can be made again after a power cut.
void write_atomically(const std::filesystem::path& target, std::span<const std::uint8_t> bytes,
                      bool is_synced = true);

}  // namespace lookalike
