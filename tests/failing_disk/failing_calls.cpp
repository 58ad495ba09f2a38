// Preloaded into a program, lets a call to the file system fail:
//   FAIL_CALL=pwrite FAIL_AT=3 FAIL_WITH=full|broken|short FAIL_UNDER=/folder FAIL_MARK=/file
// The third pwrite(2) on a file under the folder fails, and FAIL_MARK is made to say that it did.
// "full" fails from then on with ENOSPC, "broken" once with EIO, "short" moves half, once.
// "swapped" is for open: the file becomes a link to FAIL_TARGET in the moment before it is opened.
// "mirrored" lets two folders be one, as two mounts of it are: a file that is renamed away from
// FAIL_UNDER also leaves FAIL_TARGET, and comes back there with it (FAIL_CALL=rename).
// For the renaming of new files: "unsupported" is a file system that cannot rename without
// replacing (FAIL_CALL=rename), nor link (FAIL_CALL=link); "taken" lets a file of the name appear
// in the moment before.

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
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

enum class Outcome { kPass, kFail, kShort, kSwapped, kTaken };

// What becomes of this call; errno is set when it fails.
Outcome outcome(const char* call, const std::string& path) {
  static std::atomic<long> calls = 0;
  if (setting("FAIL_CALL") != call || !is_under(path)) return Outcome::kPass;
  const long number = ++calls;
  const long at = std::strtol(setting("FAIL_AT").c_str(), nullptr, 10);
  const std::string with = setting("FAIL_WITH");
  if (with == "mirrored" || number < at || (number > at && with != "full")) return Outcome::kPass;
  mark();
  if (with == "swapped") return Outcome::kSwapped;
  if (with == "taken") return Outcome::kTaken;
  errno = with == "full" ? ENOSPC : EIO;
  return with == "short" ? Outcome::kShort : Outcome::kFail;
}

bool is_folder(const char* path) {
  struct stat status {};
  return ::stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

// Its place is taken by a link.
void swap(const char* path) {
  if (::unlink(path) == 0 || errno == ENOENT) {
    if (::symlink(setting("FAIL_TARGET").c_str(), path) == 0) return;
  }
  std::abort();  // a test of nothing
}

// Returns the path of a name in an open folder.
std::string path_in(int folder, const char* name) {
  const bool is_whole = folder == AT_FDCWD || *name == '/';
  return is_whole ? name : path_of(folder) + '/' + name;
}

using Rename = int (*)(int, const char*, int, const char*, unsigned);

// Lets a file of FAIL_TARGET do as the one of FAIL_UNDER that was renamed.
void mirror(const std::string& from, const std::string& to) {
  if (setting("FAIL_WITH") != "mirrored") return;
  const std::string folder = setting("FAIL_TARGET");
  const auto rename = [&](const std::string& old_name, const std::string& new_name) {
    original<Rename>("renameat2")(AT_FDCWD, (folder + old_name).c_str(), AT_FDCWD,
                                  (folder + new_name).c_str(), 0);
  };
  const auto name_of = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  if (is_under(from) && name_of(from)[0] != '.') {
    mark();
    rename(name_of(from), ".mirrored-" + name_of(from));
  }
  if (is_under(to) && name_of(to)[0] != '.') rename(".mirrored-" + name_of(to), name_of(to));
}

bool is_unsupported() {
  return setting("FAIL_WITH") == "unsupported";
}

using Open = int (*)(const char*, int, ...);

// Its name is taken by a file.
void take(const char* path) {
  const int file = original<Open>("open")(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (file < 0 || ::close(file) != 0) std::abort();  // a test of nothing
}

int open_as(const char* name, const char* path, int flags, mode_t mode) {
  const bool counts =
      setting("FAIL_WITH") == "swapped" ? !is_folder(path) : (flags & (O_WRONLY | O_RDWR)) != 0;
  const Outcome what = counts ? outcome("open", path) : Outcome::kPass;
  if (what == Outcome::kSwapped) {
    swap(path);
  } else if (what != Outcome::kPass) {
    return -1;
  }
  return original<Open>(name)(path, flags, mode);
}

ssize_t pwrite_as(const char* name, int file, const void* bytes, std::size_t size, off_t at) {
  const Outcome what = outcome("pwrite", path_of(file));
  if (what == Outcome::kFail) return -1;
  using Write = ssize_t (*)(int, const void*, std::size_t, off_t);
  return original<Write>(name)(file, bytes, what == Outcome::kShort ? size / 2 : size, at);
}

ssize_t pread_as(const char* name, int file, void* bytes, std::size_t size, off_t at) {
  const Outcome what = outcome("pread", path_of(file));
  if (what == Outcome::kFail) return -1;
  using Read = ssize_t (*)(int, void*, std::size_t, off_t);
  return original<Read>(name)(file, bytes, what == Outcome::kShort ? size / 2 : size, at);
}

int truncate_as(const char* name, int file, off_t size) {
  if (outcome("ftruncate", path_of(file)) != Outcome::kPass) return -1;
  return original<int (*)(int, off_t)>(name)(file, size);
}

template <typename Entry>
Entry* read_folder_as(const char* name, DIR* folder) {
  if (outcome("readdir", path_of(::dirfd(folder)) + "/") != Outcome::kPass) return nullptr;
  return original<Entry* (*)(DIR*)>(name)(folder);
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

int openat(int folder, const char* name, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (folder == AT_FDCWD) return open_as("open", name, flags, mode);
  if (outcome("openat", path_in(folder, name)) != Outcome::kPass) return -1;
  return original<int (*)(int, const char*, int, ...)>("openat")(folder, name, flags, mode);
}

ssize_t write(int file, const void* bytes, std::size_t size) {
  const Outcome what = outcome("write", path_of(file));
  if (what == Outcome::kFail) return -1;
  using Write = ssize_t (*)(int, const void*, std::size_t);
  return original<Write>("write")(file, bytes, what == Outcome::kShort ? size / 2 : size);
}

ssize_t read(int file, void* bytes, std::size_t size) {
  const Outcome what = outcome("read", path_of(file));
  if (what == Outcome::kFail) return -1;
  using Read = ssize_t (*)(int, void*, std::size_t);
  return original<Read>("read")(file, bytes, what == Outcome::kShort ? size / 2 : size);
}

ssize_t pread(int file, void* bytes, std::size_t size, off_t at) {
  return pread_as("pread", file, bytes, size, at);
}
ssize_t pread64(int file, void* bytes, std::size_t size, off_t at) {
  return pread_as("pread64", file, bytes, size, at);
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

dirent* readdir(DIR* folder) {
  return read_folder_as<dirent>("readdir", folder);
}
dirent64* readdir64(DIR* folder) {
  return read_folder_as<dirent64>("readdir64", folder);
}

int rename(const char* from, const char* to) noexcept {
  if (outcome("rename", to) != Outcome::kPass && !is_unsupported()) return -1;
  return original<int (*)(const char*, const char*)>("rename")(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  const std::string path = path_in(to_folder, to);
  if (is_unsupported() && is_under(path)) {
    mark();
    errno = EINVAL;
    return -1;
  }
  const Outcome what = outcome("rename", path);
  if (what == Outcome::kTaken) take(path.c_str());
  if (what == Outcome::kFail) return -1;
  const std::string old_path = path_in(from_folder, from);
  const int result = original<Rename>("renameat2")(from_folder, from, to_folder, to, flags);
  if (result == 0) mirror(old_path, path);
  return result;
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  if (outcome("rename", path_in(to_folder, to)) == Outcome::kFail && !is_unsupported()) return -1;
  using RenameAt = int (*)(int, const char*, int, const char*);
  return original<RenameAt>("renameat")(from_folder, from, to_folder, to);
}

int unlinkat(int folder, const char* name, int flags) noexcept {
  if (outcome("unlink", path_in(folder, name)) != Outcome::kPass) return -1;
  return original<int (*)(int, const char*, int)>("unlinkat")(folder, name, flags);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  const std::string path = path_in(to_folder, to);
  if (is_unsupported() && setting("FAIL_CALL") == "link" && is_under(path)) {
    mark();
    errno = EPERM;
    return -1;
  }
  if (!is_unsupported() && outcome("link", path) != Outcome::kPass) return -1;
  using Link = int (*)(int, const char*, int, const char*, int);
  return original<Link>("linkat")(from_folder, from, to_folder, to, flags);
}

}  // extern "C"
