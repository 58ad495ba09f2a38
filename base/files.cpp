#include "base/files.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fcntl.h>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/error.h"

namespace lookalike {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20U;
constexpr int kAttempts = 100;  // this process may have several temporary files of a target

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

// True for NUMBER.NUMBER.tmp, as temporary names end.
bool is_ending_of_temporary(std::string_view text) {
  const auto take_number = [&] {
    std::size_t digits = 0;
    while (digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits]))) ++digits;
    text.remove_prefix(digits);
    return digits > 0;
  };
  if (!take_number() || !text.starts_with('.')) return false;
  text.remove_prefix(1);
  return take_number() && text == ".tmp";
}

// Removes a temporary file that no process has locked. Keeps it on file systems without locks.
void remove_if_left_behind(const std::filesystem::path& temporary) {
  const FileDescriptor file(
      ::open(temporary.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  if (::flock(file.number(), LOCK_EX | LOCK_NB) != 0 || !leads_to(temporary, file)) return;
  ::unlink(temporary.c_str());
}

void remove_left_behind(const std::filesystem::path& folder, const std::string& prefix) {
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(prefix)) continue;
    if (is_ending_of_temporary(std::string_view(name).substr(prefix.size()))) {
      remove_if_left_behind(entry->path());
    }
  }
}

// Creates and locks a temporary file. Returns none, with errno, if the name is taken (EEXIST) or it
// cannot be created.
FileDescriptor create_temporary(const std::filesystem::path& temporary) {
  // O_EXCL and O_NOFOLLOW: never write through an existing name or link.
  FileDescriptor file(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file.is_open()) return file;
  const bool is_lost = ::flock(file.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (!is_lost && leads_to(temporary, file)) return file;
  errno = EEXIST;  // another process took it for left behind before it was locked
  return FileDescriptor();
}

bool is_unsupported(int error) {
  return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP || error == EPERM;
}

// Renames a file on its file system unless the new name exists. Returns 0, or the reason as errno
// would have it: EEXIST, ... A file that appears under the new name during the call may be replaced
// on file systems that can neither rename without replacing nor link (some FUSE ones).
int rename_unless_taken(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (!is_unsupported(errno)) return errno;
  if (::link(from.c_str(), to.c_str()) == 0) return ::unlink(from.c_str()) == 0 ? 0 : errno;
  if (!is_unsupported(errno) && errno != EMLINK) return errno;
  struct stat status {};
  if (::lstat(to.c_str(), &status) == 0) return EEXIST;
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (is_open()) ::close(number_);
}

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept
    : number_(std::exchange(other.number_, -1)) {}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

std::filesystem::path resolved(const std::filesystem::path& file) {
  std::error_code error;
  // Absolute first: weakly_canonical() leaves a relative name of a missing file as it is.
  std::filesystem::path path =
      std::filesystem::weakly_canonical(std::filesystem::absolute(file), error);
  if (error) throw Error(ErrorKind::kInput, file.string() + ": " + error.message());
  return path;
}

bool leads_to(const std::filesystem::path& name, const FileDescriptor& file) {
  struct stat named {};
  struct stat opened {};
  return ::stat(name.c_str(), &named) == 0 && ::fstat(file.number(), &opened) == 0 &&
         named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

std::optional<std::string> read_file(const std::filesystem::path& file, std::size_t at_most) {
  constexpr std::size_t kPartBytes = std::size_t{1} << 16U;
  const FileDescriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened.is_open()) return std::nullopt;
  std::string bytes;
  while (bytes.size() < at_most) {
    const std::size_t done = bytes.size();
    bytes.resize(done + std::min(at_most - done, kPartBytes));
    const ssize_t count = ::read(opened.number(), bytes.data() + done, bytes.size() - done);
    bytes.resize(done + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0) break;
    if (count < 0 && errno != EINTR) return std::nullopt;
  }
  return bytes;
}

void fail_file(const std::filesystem::path& name, const char* what) {
  const std::string reason = std::generic_category().message(errno);
  throw Error(ErrorKind::kStorage, name.string() + ": " + what + ": " + reason);
}

BufferedFile::BufferedFile(FileDescriptor file, std::filesystem::path name)
    : file_(std::move(file)), name_(std::move(name)) {
  buffer_.reserve(kBufferBytes);
}

void BufferedFile::write(std::span<const std::uint8_t> bytes) {
  if (buffer_.size() + bytes.size() > kBufferBytes) flush();
  if (bytes.size() > kBufferBytes) {
    write_out(bytes);
  } else {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
}

void BufferedFile::flush() {
  write_out(buffer_);
  buffer_.clear();
}

void BufferedFile::write_out(std::span<const std::uint8_t> bytes) {
  const auto write_from = [&](std::size_t done, std::size_t left) {
    return ::write(file_.number(), bytes.data() + done, left);
  };
  if (!move_all(bytes.size(), write_from)) fail_file(name_, "cannot be written");
}

AtomicFile::AtomicFile(const std::filesystem::path& target)
    : target_(target), file_(open_temporary()) {}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

BufferedFile AtomicFile::open_temporary() {
  const std::filesystem::path folder = folder_of(target_);
  const std::string prefix = '.' + target_.filename().string() + '.';
  remove_left_behind(folder, prefix);
  const std::string own = prefix + std::to_string(::getpid()) + '.';
  FileDescriptor file;
  for (int attempt = 0; attempt < kAttempts && !file.is_open(); ++attempt) {
    temporary_ = folder / (own + std::to_string(attempt) + ".tmp");
    file = create_temporary(temporary_);
    if (!file.is_open() && errno != EEXIST) break;
  }
  if (!file.is_open()) fail_file(target_, "cannot be created");
  return BufferedFile(std::move(file), target_);
}

void AtomicFile::forbid_others_to_write() {
  struct stat status {};
  if (::fstat(file_.number(), &status) == 0) ::fchmod(file_.number(), status.st_mode & 0755U);
}

void AtomicFile::commit(bool is_synced) {
  struct stat before {};
  if (::lstat(target_.c_str(), &before) == 0 && S_ISREG(before.st_mode)) {
    ::fchmod(file_.number(), before.st_mode & 0777U);  // may fail where files have no such bits
  }
  is_synced ? finish() : file_.flush();
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    fail_file(target_, "cannot be renamed into place");
  }
  temporary_.clear();
  if (is_synced) sync_folder();
}

bool AtomicFile::commit_new() {
  finish();
  if (!rename_to_new()) return false;
  temporary_.clear();
  sync_folder();
  return true;
}

void AtomicFile::finish() {
  file_.flush();
  if (::fsync(file_.number()) != 0) fail_file(target_, "cannot be synced");
}

bool AtomicFile::rename_to_new() {
  const int reason = rename_unless_taken(temporary_, target_);
  if (reason == 0 || reason == EEXIST) return reason == 0;
  errno = reason;
  fail_file(target_, "cannot be renamed into place");
}

// The new name survives a power cut only once the folder is synced.
void AtomicFile::sync_folder() {
  const FileDescriptor folder(
      ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open() || ::fsync(folder.number()) != 0) {
    fail_file(target_, "its folder cannot be synced");
  }
}

void write_atomically(const std::filesystem::path& target, std::span<const std::uint8_t> bytes,
                      bool is_synced) {
  AtomicFile file(target);
  file.write(bytes);
  file.commit(is_synced);
}

}  // namespace lookalike
