#include "base/move_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "base/error.h"
#include "base/files.h"

namespace lookalike {
namespace {

constexpr std::size_t kPartBytes = std::size_t{1} << 20U;

bool is_unsupported(int error) {
  return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP || error == EPERM;
}

FileDescriptor open_to_read(const std::string& file) {
  return FileDescriptor(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
}

// Reads up to a part. Returns false with errno if that fails.
bool read_part(const FileDescriptor& file, std::vector<std::uint8_t>& part) {
  part.resize(kPartBytes);
  std::size_t done = 0;
  while (done < part.size()) {
    const ssize_t count = ::read(file.number(), part.data() + done, part.size() - done);
    if (count == 0) break;
    if (count < 0 && errno != EINTR) return false;
    done += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  }
  part.resize(done);
  return true;
}

// File systems without extended attributes keep none.
void copy_extended_attributes(const FileDescriptor& from, const FileDescriptor& to) {
  std::vector<char> names(std::max<ssize_t>(::flistxattr(from.number(), nullptr, 0), 0));
  const ssize_t bytes = ::flistxattr(from.number(), names.data(), names.size());
  if (names.empty() || bytes < 0) return;
  names.resize(static_cast<std::size_t>(bytes));
  for (auto name = names.begin(); name != names.end(); name = std::find(name, names.end(), 0) + 1) {
    std::vector<char> value(std::max<ssize_t>(::fgetxattr(from.number(), &*name, nullptr, 0), 0));
    const ssize_t size = ::fgetxattr(from.number(), &*name, value.data(), value.size());
    if (size < 0) continue;
    ::fsetxattr(to.number(), &*name, value.data(), static_cast<std::size_t>(size), 0);
  }
}

// Only the superuser may give a file to another owner, and some file systems have neither owners
// nor modes: what cannot be kept is lost.
void copy_attributes(const FileDescriptor& from, const std::string& to) {
  struct stat status {};
  const FileDescriptor copy = open_to_read(to);
  if (!copy.is_open() || ::fstat(from.number(), &status) != 0) return;
  copy_extended_attributes(from, copy);
  [[maybe_unused]] const int owned = ::fchown(copy.number(), status.st_uid, status.st_gid);
  ::fchmod(copy.number(), status.st_mode & 07777U);
  const std::array<timespec, 2> times = {status.st_atim, status.st_mtim};
  ::futimens(copy.number(), times.data());
}

void sync_folder_of(const std::string& file) {
  const std::string folder = std::filesystem::path(file).parent_path();
  const FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.is_open() || ::fsync(opened.number()) != 0)
    fail_file(file, "its folder cannot be synced");
}

// The name of a copy until it has all attributes. A killed call leaves it.
std::string part_name(const std::string& to) {
  const std::filesystem::path path = to;
  return path.parent_path() / ("." + path.filename().native() + ".lookalike-part");
}

[[noreturn]] void fail_to_move(const std::string& from, const std::string& to, int reason) {
  errno = reason;
  fail_file(from, ("cannot become " + to).c_str());
}

void copy_to_new(const std::string& from, const std::string& to, const AfterStep& after_step) {
  const FileDescriptor file = open_to_read(from);
  if (!file.is_open()) fail_file(from, "cannot be read");
  const std::string part_of_copy = part_name(to);
  ::unlink(part_of_copy.c_str());
  AtomicFile copy(part_of_copy);
  for (std::vector<std::uint8_t> part(1); !part.empty();) {
    if (!read_part(file, part)) fail_file(from, "cannot be read");
    copy.write(part);
  }
  after_step();
  copy.commit();
  after_step();
  copy_attributes(file, part_of_copy);
  const int reason = rename_to_new(part_of_copy, to);
  if (reason != 0) {
    ::unlink(part_of_copy.c_str());
    fail_to_move(from, to, reason);
  }
  sync_folder_of(to);
}

// Removes a file that is whole under another name.
void remove_moved(const std::string& from, const std::string& to) {
  if (!have_same_bytes(from, to)) {
    throw Error(ErrorKind::kStorage, from + ": stays, because " + to + " has other bytes");
  }
  if (::unlink(from.c_str()) != 0) fail_file(from, "cannot be removed");
}

}  // namespace

int rename_to_new(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (!is_unsupported(errno)) return errno;
  if (::link(from.c_str(), to.c_str()) == 0) return ::unlink(from.c_str()) == 0 ? 0 : errno;
  if (!is_unsupported(errno) && errno != EMLINK) return errno;
  struct stat status {};
  if (::lstat(to.c_str(), &status) == 0) return EEXIST;
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

bool have_same_bytes(const std::string& a, const std::string& b) {
  const FileDescriptor first = open_to_read(a);
  const FileDescriptor second = open_to_read(b);
  if (!first.is_open() || !second.is_open()) return false;
  std::vector<std::uint8_t> of_first;
  std::vector<std::uint8_t> of_second;
  do {
    if (!read_part(first, of_first) || !read_part(second, of_second)) return false;
    if (of_first != of_second) return false;
  } while (!of_first.empty());
  return true;
}

void move_file(const std::string& from, const std::string& to, const AfterStep& after_step) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(to).parent_path(), error);
  if (error)
    throw Error(ErrorKind::kStorage, to + ": its folder cannot be made: " + error.message());
  struct stat status {};
  if (::lstat(to.c_str(), &status) != 0) {
    after_step();
    const int reason = rename_to_new(from, to);
    if (reason == 0) {
      after_step();
      sync_folder_of(to);
      return;
    }
    if (reason != EXDEV) fail_to_move(from, to, reason);
    copy_to_new(from, to, after_step);
    after_step();
  }
  remove_moved(from, to);
  after_step();
}

void remove_unfinished_move(const std::string& to) {
  const std::string part = part_name(to);
  std::error_code unknown;
  if (std::filesystem::exists(std::filesystem::path(to).parent_path(), unknown)) {
    const AtomicFile removes_what_was_left(part);
  }
  ::unlink(part.c_str());
}

}  // namespace lookalike
