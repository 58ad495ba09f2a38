#include "storage/atomic_file.h"

#include <cerrno>
#include <fcntl.h>
#include <string>
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

AtomicFile::AtomicFile(const std::filesystem::path& target) : target_(target) {
  const std::string name = target.filename().string();
  for (int attempt = 0; attempt < kAttempts && !file_.is_open(); ++attempt) {
    temporary_ = folder_of(target) / fmt::format(".{}.{}.{}.tmp", name, ::getpid(), attempt);
    // O_EXCL and O_NOFOLLOW: never write through a name or a link that somebody put there.
    file_ = FileDescriptor(
        ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!file_.is_open() && errno != EEXIST) break;
  }
  if (!file_.is_open()) fail("cannot be made");
  buffer_.reserve(kBufferBytes);
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(ByteView bytes) {
  if (buffer_.size() + bytes.size() > kBufferBytes) flush();
  if (bytes.size() > kBufferBytes) {
    write_out(bytes);
  } else {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
}

void AtomicFile::flush() {
  write_out(buffer_);
  buffer_.clear();
}

void AtomicFile::write_out(ByteView bytes) {
  const auto write_from = [&](std::size_t done, std::size_t left) {
    return ::write(file_.number(), bytes.data() + done, left);
  };
  if (!moves_all(bytes.size(), write_from)) fail("cannot be written");
}

void AtomicFile::commit() {
  flush();
  if (::fsync(file_.number()) != 0) fail("cannot be synced");
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot be renamed into place");
  temporary_.clear();
  // The new name is only safe from a power cut once the folder is on the disk as well.
  const FileDescriptor folder(
      ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open() || ::fsync(folder.number()) != 0) fail("its folder cannot be synced");
}

void AtomicFile::fail(const char* what) const {
  throw Error(ErrorKind::kStorage,
              target_.string() + ": " + what + ": " + std::generic_category().message(errno));
}

}  // namespace lookalike
