#include "storage/atomic_file.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace lookalike {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20U;
constexpr int kAttempts = 100;  // names that a process of the same number left behind

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
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

BufferedFile::BufferedFile(FileDescriptor file, std::filesystem::path name)
    : file_(std::move(file)), name_(std::move(name)) {
  buffer_.reserve(kBufferBytes);
}

void BufferedFile::write(ByteView bytes) {
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

void BufferedFile::write_out(ByteView bytes) {
  const auto write_from = [&](std::size_t done, std::size_t left) {
    return ::write(file_.number(), bytes.data() + done, left);
  };
  if (!moves_all(bytes.size(), write_from)) fail("cannot be written");
}

void BufferedFile::fail(const std::filesystem::path& name, const char* what) {
  throw Error(ErrorKind::kStorage,
              name.string() + ": " + what + ": " + std::generic_category().message(errno));
}

AtomicFile::AtomicFile(const std::filesystem::path& target)
    : target_(target), file_(open_temporary()) {}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

BufferedFile AtomicFile::open_temporary() {
  const std::string name = target_.filename().string();
  FileDescriptor file;
  for (int attempt = 0; attempt < kAttempts && !file.is_open(); ++attempt) {
    temporary_ = folder_of(target_) / fmt::format(".{}.{}.{}.tmp", name, ::getpid(), attempt);
    // O_EXCL and O_NOFOLLOW: never write through a name or a link that somebody put there.
    file = FileDescriptor(
        ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!file.is_open() && errno != EEXIST) break;
  }
  if (!file.is_open()) BufferedFile::fail(target_, "cannot be made");
  return BufferedFile(std::move(file), target_);
}

void AtomicFile::commit() {
  struct stat there {};
  if (::lstat(target_.c_str(), &there) == 0 && S_ISREG(there.st_mode)) {
    ::fchmod(file_.number(), there.st_mode & 0777U);  // may fail where files have no such bits
  }
  finish();
  if (::rename(temporary_.c_str(), target_.c_str()) != 0)
    file_.fail("cannot be renamed into place");
  temporary_.clear();
  sync_folder();
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
  if (::fsync(file_.number()) != 0) file_.fail("cannot be synced");
}

bool AtomicFile::rename_to_new() {
  const char* from = temporary_.c_str();
  const char* to = target_.c_str();
  if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return true;
  if (errno == EEXIST) return false;
  if (!is_unsupported(errno)) file_.fail("cannot be renamed into place");
  if (::link(from, to) == 0) {
    if (::unlink(from) != 0) file_.fail("its temporary name cannot be removed");
    return true;
  }
  if (errno == EEXIST) return false;
  if (!is_unsupported(errno) && errno != EMLINK) file_.fail("cannot be linked into place");
  struct stat there {};
  if (::lstat(to, &there) == 0) return false;
  if (::rename(from, to) != 0) file_.fail("cannot be renamed into place");
  return true;
}

void AtomicFile::sync_folder() {
  // The new name is only safe from a power cut once the folder is on the disk as well.
  const FileDescriptor folder(
      ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open() || ::fsync(folder.number()) != 0) {
    file_.fail("its folder cannot be synced");
  }
}

}  // namespace lookalike
