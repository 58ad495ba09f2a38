// Preloaded into a program, lets a call to the file system fail:
//   FAIL_CALL=pwrite FAIL_AT=3 FAIL_WITH=full|broken|short FAIL_UNDER=/folder FAIL_MARK=/file
// The third pwrite(2) on a file under the folder fails, and FAIL_MARK is made to say that it did.
// "full" fails from then on with ENOSPC, "broken" once with EIO, "short" writes half, once.

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <sys/types.h>
#include <unistd.h>

namespace {

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

template <typename Function>
Function original(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

bool is_under(const std::string& path) {
  return path.rfind(setting("FAIL_UNDER"), 0) == 0;
}

std::string path_of(int file) {
  char path[4096] = {};
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const ssize_t size = ::readlink(link.c_str(), path, sizeof path - 1);
  return size > 0 ? path : "";
}

void mark() {
  using Open = int (*)(const char*, int, ...);
  const int file = original<Open>("open")(setting("FAIL_MARK").c_str(), O_WRONLY | O_CREAT, 0600);
  if (file >= 0) ::close(file);
}

enum class Outcome { kPass, kFail, kShort };

// What becomes of this call; errno is set when it fails.
Outcome outcome(const char* call, const std::string& path) {
  static std::atomic<long> calls = 0;
  if (setting("FAIL_CALL") != call || !is_under(path)) return Outcome::kPass;
  const long number = ++calls;
  const long at = std::strtol(setting("FAIL_AT").c_str(), nullptr, 10);
  const std::string with = setting("FAIL_WITH");
  if (number < at || (number > at && with != "full")) return Outcome::kPass;
  mark();
  errno = with == "full" ? ENOSPC : EIO;
  return with == "short" ? Outcome::kShort : Outcome::kFail;
}

using Open = int (*)(const char*, int, ...);

int open_as(const char* name, const char* path, int flags, mode_t mode) {
  const bool writes = (flags & (O_WRONLY | O_RDWR)) != 0;
  if (writes && outcome("open", path) != Outcome::kPass) return -1;
  return original<Open>(name)(path, flags, mode);
}

ssize_t pwrite_as(const char* name, int file, const void* bytes, std::size_t size, off_t at) {
  const Outcome what = outcome("pwrite", path_of(file));
  if (what == Outcome::kFail) return -1;
  using Write = ssize_t (*)(int, const void*, std::size_t, off_t);
  return original<Write>(name)(file, bytes, what == Outcome::kShort ? size / 2 : size, at);
}

int truncate_as(const char* name, int file, off_t size) {
  if (outcome("ftruncate", path_of(file)) != Outcome::kPass) return -1;
  return original<int (*)(int, off_t)>(name)(file, size);
}

int sync_as(const char* name, int file) {
  if (outcome("sync", path_of(file)) != Outcome::kPass) return -1;
  return original<int (*)(int)>(name)(file);
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open_as("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open_as("open64", path, flags, mode);
}

ssize_t write(int file, const void* bytes, std::size_t size) {
  const Outcome what = outcome("write", path_of(file));
  if (what == Outcome::kFail) return -1;
  using Write = ssize_t (*)(int, const void*, std::size_t);
  return original<Write>("write")(file, bytes, what == Outcome::kShort ? size / 2 : size);
}

ssize_t pwrite(int file, const void* bytes, std::size_t size, off_t at) {
  return pwrite_as("pwrite", file, bytes, size, at);
}
ssize_t pwrite64(int file, const void* bytes, std::size_t size, off_t at) {
  return pwrite_as("pwrite64", file, bytes, size, at);
}
int ftruncate(int file, off_t size) noexcept {
  return truncate_as("ftruncate", file, size);
}
int ftruncate64(int file, off_t size) noexcept {
  return truncate_as("ftruncate64", file, size);
}
int fsync(int file) {
  return sync_as("fsync", file);
}
int fdatasync(int file) {
  return sync_as("fdatasync", file);
}

int rename(const char* from, const char* to) noexcept {
  if (outcome("rename", to) != Outcome::kPass) return -1;
  return original<int (*)(const char*, const char*)>("rename")(from, to);
}

}  // extern "C"
