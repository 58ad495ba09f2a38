#include "storage/lock_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <string_view>
#include <sys/file.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/error.h"

namespace lookalike {
namespace {

constexpr std::string_view kLine = "process ";  // begins the line in a lock
constexpr std::string_view kUnknown = "another process";

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "an unnamed host";
  return name.data();
}

// Returns a line in the lock, from 0; empty if it has fewer.
std::string line_of(const FileDescriptor& file, int number) {
  std::array<char, 512> text{};
  const ssize_t size = ::pread(file.number(), text.data(), text.size(), 0);
  std::string_view rest(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  for (; number > 0; --number) rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  return std::string(rest.substr(0, rest.find('\n')));
}

// Returns the line that names the holder; kUnknown while it has not yet been written.
std::string holder_in(const FileDescriptor& file) {
  std::string line = line_of(file, 0);
  return line.empty() ? std::string(kUnknown) : line;
}

// Returns false with errno if the lock is not free at the end of that time.
bool take(const FileDescriptor& file, std::chrono::steady_clock::time_point end) {
  constexpr auto kPause = std::chrono::milliseconds(20);
  while (::flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK || std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

}  // namespace

LockFile::LockFile(std::filesystem::path path, const std::string& what,
                   std::chrono::milliseconds patience)
    : path_(std::move(path)) {
  const auto end = std::chrono::steady_clock::now() + patience;
  do {
    file_ = FileDescriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!file_.is_open()) fail_file(path_, "cannot be created");
    if (!take(file_, end)) {
      if (errno != EWOULDBLOCK) fail_file(path_, "cannot be locked");
      throw Busy(what + holder_in(file_));
    }
  } while (!leads_to(path_, file_));  // the previous holder removed it before it was locked
  if (const std::string line = holder_in(file_); !line.starts_with(kLine) && line != kUnknown) {
    throw Error(ErrorKind::kStorage, path_.string() +
                                         ": was not written by lookalike: move it away, or "
                                         "name another database");
  }
  write_holder();
}

LockFile::~LockFile() {
  if (leads_to(path_, file_)) ::unlink(path_.c_str());
}

void LockFile::write_holder() const {
  const std::string line = fmt::format("{}{} on {} since {:%Y-%m-%d %H:%M:%S} UTC\n", kLine,
                                       ::getpid(), host_name(), fmt::gmtime(std::time(nullptr)));
  if (::ftruncate(file_.number(), 0) != 0 ||
      ::pwrite(file_.number(), line.data(), line.size(), 0) != static_cast<ssize_t>(line.size())) {
    fail_file(path_, "cannot be written");
  }
}

void LockFile::add_line(const std::string& line) const {
  const std::string lines = holder_in(file_) + '\n' + line + '\n';
  if (::pwrite(file_.number(), lines.data(), lines.size(), 0) !=
      static_cast<ssize_t>(lines.size())) {
    fail_file(path_, "cannot be written");
  }
}

SeenLock::SeenLock(const std::filesystem::path& path)
    : file_(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) {}

bool SeenLock::is_held() const {
  return ::flock(file_.number(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

std::string SeenLock::holder() const {
  return holder_in(file_);
}

std::string SeenLock::added_line() const {
  return line_of(file_, 1);
}

bool wait_for_lock(const FileDescriptor& file, std::chrono::milliseconds patience) {
  return take(file, std::chrono::steady_clock::now() + patience) || errno != EWOULDBLOCK;
}

}  // namespace lookalike
