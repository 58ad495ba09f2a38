#include "base/files.h"

#include <algorithm>
#include <cstdio>
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

constexpr std::string_view kEnding = ".lookalike-tmp";  // of temporary files, and of no others

// Returns the target of a temporary name, .NAME.PID.N.lookalike-tmp; empty for other names.
std::string_view target_of(std::string_view name) {
  if (!name.starts_with('.') || !name.ends_with(kEnding)) return {};
  name.remove_prefix(1);
  name.remove_suffix(kEnding.size());
  for (int number = 0; number < 2; ++number) {
    const std::size_t end = name.find_last_not_of("0123456789");
    if (end == name.npos || end + 1 == name.size() || name[end] != '.') return {};
    name.remove_suffix(name.size() - end);
  }
  return name;
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

// Removes temporary files that killed processes left in a folder: those of one target, or of all
// targets if the name is empty.
void remove_left_behind(const std::filesystem::path& folder, std::string_view target) {
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().native();
    const std::string_view found = target_of(name);
    if (!found.empty() && (target.empty() || found == target)) remove_if_left_behind(entry->path());
  }
}

// Creates and locks a temporary file. Returns none, with errno, if the name is taken (EEXIST) or it
// cannot be created.
FileDescriptor create_temporary(const std::filesystem::path& temporary, ::mode_t mode) {
  // O_EXCL and O_NOFOLLOW: never write through an existing name or link.
  FileDescriptor file(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file.is_open()) return file;
  const bool is_lost = ::flock(file.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (!is_lost && leads_to(temporary, file)) return file;
  errno = EEXIST;  // another process took it for left behind before it was locked
  return FileDescriptor();
}

bool is_unsupported(int error) {
  return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP || error == EPERM;
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

FileDescriptor open_regular(const std::filesystem::path& file, bool may_be_link, int folder) {
  const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (may_be_link ? 0 : O_NOFOLLOW);
  FileDescriptor opened(::openat(folder, file.c_str(), flags));
  struct stat status {};
  if (!opened.is_open()) {
    if (errno == ENXIO) errno = ENOTSUP;  // a socket
    return opened;
  }
  if (::fstat(opened.number(), &status) != 0) return FileDescriptor();
  if (S_ISREG(status.st_mode)) return opened;
  errno = S_ISDIR(status.st_mode) ? EISDIR : ENOTSUP;
  return FileDescriptor();
}

bool append_bytes(const FileDescriptor& file, std::size_t most, std::string& bytes) {
  constexpr std::size_t kPartBytes = std::size_t{1} << 16U;
  for (std::size_t left = most; left > 0;) {
    const std::size_t done = bytes.size();
    bytes.resize(done + std::min(left, kPartBytes));
    const ssize_t count = ::read(file.number(), bytes.data() + done, bytes.size() - done);
    const auto moved = static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    bytes.resize(done + moved);
    left -= moved;
    if (count == 0) break;
    if (count < 0 && errno != EINTR) return false;
  }
  return true;
}

NewName give_new_name(int from, const std::string& name, int to, const std::string& new_name) {
  if (::renameat2(from, name.c_str(), to, new_name.c_str(), RENAME_NOREPLACE) == 0) return {};
  if (!is_unsupported(errno)) return {errno};
  if (::linkat(from, name.c_str(), to, new_name.c_str(), 0) == 0) return {0, true};
  if (!is_unsupported(errno) && errno != EMLINK) return {errno};
  struct stat status {};
  if (::fstatat(to, new_name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) return {EEXIST};
  return {::renameat(from, name.c_str(), to, new_name.c_str()) == 0 ? 0 : errno};
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

std::optional<std::string> read_file(const std::filesystem::path& file, const FileKind& kind) {
  const FileDescriptor opened = open_regular(file, kind.may_be_link);
  struct stat status {};
  if (!opened.is_open() || ::fstat(opened.number(), &status) != 0) return std::nullopt;
  const auto fail = [](int reason) {
    errno = reason;
    return std::nullopt;
  };
  if (static_cast<std::uint64_t>(status.st_size) > kind.most_bytes) return fail(EFBIG);
  std::string bytes;
  if (!append_bytes(opened, kind.beginning.size(), bytes)) return std::nullopt;
  if (bytes != kind.beginning) return fail(EBADMSG);
  // One byte more than allowed shows that the file grows, or belongs to /proc, where sizes are 0.
  if (!append_bytes(opened, kind.most_bytes + 1 - bytes.size(), bytes)) return std::nullopt;
  if (bytes.size() > kind.most_bytes) return fail(EFBIG);
  return bytes;
}

std::optional<std::string> read_start(const std::filesystem::path& file, std::size_t at_most) {
  const FileDescriptor opened = open_regular(file, true);
  std::string bytes;
  if (!opened.is_open() || !append_bytes(opened, at_most, bytes)) return std::nullopt;
  return bytes;
}

std::string why_unread() {
  if (errno == ENOTSUP) return "not a regular file";
  if (errno == ELOOP) return "a symbolic link, or a circle of them";
  if (errno == EBADMSG) return "a file of another kind";
  return std::generic_category().message(errno);
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

void create_own_folders(const std::filesystem::path& folder) {
  std::filesystem::path made;
  for (const std::filesystem::path& part : folder) {
    made /= part;
    ::mkdir(made.c_str(), 0700);
  }
}

AtomicFile::AtomicFile(const std::filesystem::path& target, FileAccess access)
    : target_(target), access_(access), file_(open_temporary()) {}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

BufferedFile AtomicFile::open_temporary() {
  const std::filesystem::path folder = folder_of(target_);
  const std::string name = target_.filename().native();
  remove_left_behind(folder, name);
  const std::string own = '.' + name + '.' + std::to_string(::getpid()) + '.';
  FileDescriptor file;
  for (int attempt = 0; attempt < kAttempts && !file.is_open(); ++attempt) {
    temporary_ = folder / (own + std::to_string(attempt) + std::string(kEnding));
    file = create_temporary(temporary_, access_ == FileAccess::kOwner ? 0600 : 0666);
    if (!file.is_open() && errno != EEXIST) break;
  }
  if (!file.is_open()) fail_file(target_, "cannot be created");
  return BufferedFile(std::move(file), target_);
}

void AtomicFile::commit(bool is_synced) {
  struct stat before {};
  const bool is_kept = access_ == FileAccess::kByUmask && ::lstat(target_.c_str(), &before) == 0 &&
                       S_ISREG(before.st_mode);
  if (is_kept) {
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
  const NewName renamed = give_new_name(AT_FDCWD, temporary_, AT_FDCWD, target_);
  if (renamed.reason == EEXIST) return false;
  errno = renamed.reason;
  if (errno == 0 && (!renamed.has_both || ::unlink(temporary_.c_str()) == 0)) return true;
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

void remove_left_behind(const std::filesystem::path& file) {
  remove_left_behind(folder_of(file), {});
}

void write_atomically(const std::filesystem::path& target, std::span<const std::uint8_t> bytes,
                      bool is_synced, FileAccess access) {
  AtomicFile file(target, access);
  file.write(bytes);
  file.commit(is_synced);
}

}  // namespace lookalike
