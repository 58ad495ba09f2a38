#include "storage/writer_lock.h"

#include <array>
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <string_view>
#include <sys/file.h>
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

// Returns the line in the lock; kUnknown while the holder has not yet written it.
std::string holder(const FileDescriptor& file) {
  std::array<char, 512> text{};
  const ssize_t size = ::pread(file.number(), text.data(), text.size(), 0);
  if (size <= 0) return std::string(kUnknown);
  const std::string_view line(text.data(), static_cast<std::size_t>(size));
  return std::string(line.substr(0, line.find('\n')));
}

std::filesystem::path lock_of(const std::filesystem::path& database) {
  return resolved(database).string() + ".lock";
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
  ::unlink(path_.c_str());
}

void WriterLock::write_holder() const {
  const std::string line = fmt::format("{}{} on {} since {:%Y-%m-%d %H:%M:%S} UTC\n", kLine,
                                       ::getpid(), host_name(), fmt::gmtime(std::time(nullptr)));
  if (::ftruncate(file_.number(), 0) != 0 ||
      ::pwrite(file_.number(), line.data(), line.size(), 0) != static_cast<ssize_t>(line.size())) {
    fail_file(path_, "cannot be written");
  }
}

std::optional<std::string> current_writer(const std::filesystem::path& database) {
  const FileDescriptor file(
      ::open(lock_of(database).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.is_open() || ::flock(file.number(), LOCK_SH | LOCK_NB) == 0) return std::nullopt;
  return errno == EWOULDBLOCK ? std::optional(holder(file)) : std::nullopt;
}

}  // namespace lookalike
