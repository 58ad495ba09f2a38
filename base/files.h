#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
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

// Opens a regular file for reading, without waiting for writers of a FIFO. Returns none, with
// errno, if it cannot be opened or is not regular: EISDIR for a folder, ENOTSUP for a FIFO, socket
// or device, ELOOP for a symbolic link if `may_be_link` is false.
//   folder  the start of a relative name
FileDescriptor open_regular(const std::filesystem::path& file, bool may_be_link,
                            int folder = AT_FDCWD);

// Appends at most `most` bytes of the rest of a file. Returns false, with errno, on an error.
bool append_bytes(const FileDescriptor& file, std::size_t most, std::string& bytes);

struct NewName {
  int reason = 0;         // as errno: EEXIST, EXDEV, ...; 0 if the file has its new name
  bool has_both = false;  // the old name is left, for the caller to remove
};
// Renames a file on its file system unless the new name exists. A file system that cannot do that
// gets a hard link instead. On one without hard links (some FUSE ones), a file that appears under
// the new name during the call may be replaced.
//   from, to  open folders, or AT_FDCWD: the start of each relative name
NewName give_new_name(int from, const std::string& name, int to, const std::string& new_name);

// Returns the absolute name of a file with all links followed; the file need not exist. Opening it
// with O_NOFOLLOW never follows a link made since. Throws Error(kInput) for links in a circle.
std::filesystem::path resolved(const std::filesystem::path& file);

// True if the name, through links, leads to the open file.
bool leads_to(const std::filesystem::path& name, const FileDescriptor& file);

// What read_file() accepts under a name where others may have put anything: a FIFO that never ends,
// a device, a link, a sparse file of a terabyte.
struct FileKind {
  std::size_t most_bytes = std::numeric_limits<std::ptrdiff_t>::max();
  bool may_be_link = true;          // a symbolic link; only the last part of the name counts
  std::string_view beginning = {};  // of every file of the kind, at most 64 KiB
};

// Reads a whole regular file without waiting. Returns nothing, with errno, if it cannot be read or
// is not of the kind: EISDIR for a folder, ENOTSUP for other files that are not regular, ELOOP for
// a link, EFBIG for more bytes, EBADMSG for another beginning. Reads no more than the beginning of
// a file that has another.
std::optional<std::string> read_file(const std::filesystem::path& file, const FileKind& kind = {});

// Reads the first `at_most` bytes of a regular file, or all if it has fewer. Errors as read_file().
std::optional<std::string> read_start(const std::filesystem::path& file, std::size_t at_most);

// Returns why read_file() has just failed, from errno: "not a regular file".
std::string why_unread();

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

// Who may read a new file: those whom the umask allows, or its owner alone.
enum class FileAccess { kByUmask, kOwner };

// Creates a folder and those above it that are missing, for their owner alone. Leaves failures to
// what is written there.
void create_own_folders(const std::filesystem::path& folder);

// A file that appears whole or not at all: written under a temporary name in the target's folder,
// .NAME.PID.N.lookalike-tmp, synced and renamed by a commit. Without one, an existing target stays
// as it was. The temporary file is locked by flock(2). The constructor removes unlocked temporary
// files of the same target: killed processes left them. Throws Error(kStorage) with the system's
// reason.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& target,
                      FileAccess access = FileAccess::kByUmask);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::uint8_t> bytes) { file_.write(bytes); }
  const std::filesystem::path& temporary() const { return temporary_; }
  // Replaces the target; keeps the permission bits of a regular file, except with kOwner.
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
  FileAccess access_;
  std::filesystem::path temporary_;  // empty after the commit
  BufferedFile file_;
};

// Removes the temporary files that killed processes have left in the folder of a file, of any
// target: those of logs and backups never get a target of the same name again.
void remove_left_behind(const std::filesystem::path& file);

// Writes a whole AtomicFile; need not be synced if it can be made again after a power cut.
void write_atomically(const std::filesystem::path& target, std::span<const std::uint8_t> bytes,
                      bool is_synced = true, FileAccess access = FileAccess::kByUmask);

}  // namespace lookalike
