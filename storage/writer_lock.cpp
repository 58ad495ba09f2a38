#include "storage/writer_lock.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/error.h"

namespace lookalike {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "an unnamed host";
  return name.data();
}

constexpr std::string_view kLine = "process ";  // begins the line in a lock
constexpr std::string_view kUnknown = "another process";

// Returns a line in the lock, from 0; empty if it has fewer.
std::string line_of(const FileDescriptor& file, int number) {
  std::array<char, 512> text{};
  const ssize_t size = ::pread(file.number(), text.data(), text.size(), 0);
  std::string_view rest(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  for (; number > 0; --number) rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  return std::string(rest.substr(0, rest.find('\n')));
}

// Returns the line that names the holder; kUnknown while it has not yet been written.
std::string holder(const FileDescriptor& file) {
  std::string line = line_of(file, 0);
  return line.empty() ? std::string(kUnknown) : line;
}

// Empty if the file is missing. Without the device, whose number differs between the hosts of a
// shared disk.
std::string inode_line(const std::filesystem::path& database) {
  struct stat status {};
  if (::stat(database.c_str(), &status) != 0) return {};
  return fmt::format("inode {}", status.st_ino);
}

std::filesystem::path lock_of(const std::filesystem::path& database) {
  return resolved(database).string() + ".lock";
}

FileDescriptor open_to_read(const std::filesystem::path& lock) {
  return FileDescriptor(::open(lock.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
}

bool is_held(const FileDescriptor& file) {
  return ::flock(file.number(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace

WriterLock::WriterLock(const std::filesystem::path& database) : path_(lock_of(database)) {
  do {
    file_ = FileDescriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!file_.is_open()) fail_file(path_, "cannot be created");
    if (::flock(file_.number(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) fail_file(path_, "cannot be locked");
      throw Error(ErrorKind::kStorage,
                  database.string() + ": is being written by " + holder(file_));
    }
  } while (!leads_to(path_, file_));  // the previous holder removed it before it was locked
  if (const std::string line = holder(file_); !line.starts_with(kLine) && line != kUnknown) {
    throw Error(ErrorKind::kStorage, path_.string() +
                                         ": was not written by lookalike: move it away, or "
                                         "name another database");
  }
  write_holder();
}

WriterLock::~WriterLock() {
  if (leads_to(path_, file_)) ::unlink(path_.c_str());
}

void WriterLock::write_holder() const {
  const std::string line = fmt::format("{}{} on {} since {:%Y-%m-%d %H:%M:%S} UTC\n", kLine,
                                       ::getpid(), host_name(), fmt::gmtime(std::time(nullptr)));
  if (::ftruncate(file_.number(), 0) != 0 ||
      ::pwrite(file_.number(), line.data(), line.size(), 0) != static_cast<ssize_t>(line.size())) {
    fail_file(path_, "cannot be written");
  }
}

void WriterLock::name_file(const std::filesystem::path& database) const {
  const std::string lines = holder(file_) + '\n' + inode_line(database) + '\n';
  if (::pwrite(file_.number(), lines.data(), lines.size(), 0) !=
      static_cast<ssize_t>(lines.size())) {
    fail_file(path_, "cannot be written");
  }
}

std::optional<std::string> current_writer(const std::filesystem::path& database) {
  const FileDescriptor file = open_to_read(lock_of(database));
  return file.is_open() && is_held(file) ? std::optional(holder(file)) : std::nullopt;
}

void require_same_file(const std::filesystem::path& database) {
  const FileDescriptor file = open_to_read(lock_of(database));
  if (!file.is_open()) return;
  const std::string written = line_of(file, 1);
  // Last, since trying the lock may make a starting writer fail.
  if (written.empty() || written == inode_line(database) || !is_held(file)) return;
  throw Error(ErrorKind::kStorage,
              fmt::format("{}: was replaced while {} was writing it: wait until that has ended",
                          database.string(), holder(file)));
}

}  // namespace lookalike
