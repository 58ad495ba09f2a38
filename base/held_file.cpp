#include "base/held_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <map>
#include <sys/xattr.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/content_hash.h"
#include "base/error.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPartBytes = std::size_t{1} << 20U;
constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

std::string reason(int error) {
  return std::generic_category().message(error);
}

// An open file, and its path for messages.
struct NamedFile {
  const FileDescriptor& descriptor;
  const std::string& path;
};

// Reads the part of a file that begins at a byte; less than a whole part only at the end. Throws
// Error(kStorage).
void read_part(const NamedFile& file, std::size_t from, std::vector<std::uint8_t>& part) {
  part.resize(kPartBytes);
  std::size_t done = 0;
  while (done < part.size()) {
    const ssize_t count = ::pread(file.descriptor.number(), part.data() + done, part.size() - done,
                                  static_cast<off_t>(from + done));
    if (count == 0) break;
    if (count < 0 && errno != EINTR) fail_file(file.path, "cannot be read");
    done += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  }
  part.resize(done);
}

bool have_same_bytes(const NamedFile& a, const NamedFile& b) {
  std::vector<std::uint8_t> of_a;
  std::vector<std::uint8_t> of_b;
  std::size_t done = 0;
  do {
    read_part(a, done, of_a);
    read_part(b, done, of_b);
    if (of_a != of_b) return false;
    done += of_a.size();
  } while (!of_a.empty());
  return true;
}

// Returns the extended attributes of a file by name. File systems without them have none.
std::map<std::string, std::vector<char>> extended_attributes(const FileDescriptor& file) {
  std::vector<char> names(std::max<ssize_t>(::flistxattr(file.number(), nullptr, 0), 0));
  const ssize_t bytes = ::flistxattr(file.number(), names.data(), names.size());
  names.resize(static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
  std::map<std::string, std::vector<char>> values;
  for (auto name = names.begin(); name != names.end(); name = std::find(name, names.end(), 0) + 1) {
    std::vector<char> value(std::max<ssize_t>(::fgetxattr(file.number(), &*name, nullptr, 0), 0));
    const ssize_t size = ::fgetxattr(file.number(), &*name, value.data(), value.size());
    if (size < 0) continue;
    value.resize(static_cast<std::size_t>(size));
    values.emplace(&*name, std::move(value));
  }
  return values;
}

FileDescriptor open_file(const HeldFolder& folder, const std::string& name) {
  const std::string path = folder.path_of(name);
  FileDescriptor file = open_regular(name, false, folder.number());
  if (file.is_open()) return file;
  if (errno == ENOENT) refuse_file(path, "is gone");
  if (errno == ELOOP) refuse_file(path, "is a symbolic link");
  if (errno == EISDIR || errno == ENOTSUP) refuse_file(path, "is no regular file");
  refuse_file(path, "cannot be read: " + reason(errno));
}

HeldFolder folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0 && errno == ENOENT) refuse_file(path, "is gone");
  return HeldFolder(folder);
}

}  // namespace

void refuse_file(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::kInput, path + ": " + why);
}

HeldFolder::HeldFolder(const fs::path& path)
    : HeldFolder(path, FileDescriptor(::open(path.c_str(), kFolderFlags))) {
  if (!descriptor_.is_open()) refuse_file(path_, "cannot be opened: " + reason(errno));
}

HeldFolder::HeldFolder(fs::path path, FileDescriptor descriptor)
    : path_(std::move(path)), descriptor_(std::move(descriptor)) {}

HeldFolder HeldFolder::below(const fs::path& relative, FolderLinks links, bool is_made) const {
  const int flags = kFolderFlags | (links == FolderLinks::kRefuse ? O_NOFOLLOW : 0);
  HeldFolder at(path_, FileDescriptor(::openat(number(), ".", kFolderFlags)));
  for (const fs::path& name : relative) {
    if (name.empty() || name == ".") continue;
    fs::path path = at.path_ / name;
    if (name == ".." || name.is_absolute()) refuse_file(path, "leads out of " + path_.native());
    if (is_made && ::mkdirat(at.number(), name.c_str(), 0777) != 0 && errno != EEXIST) {
      refuse_file(path, "cannot be made: " + reason(errno));
    }
    FileDescriptor folder(::openat(at.number(), name.c_str(), flags));
    if (!folder.is_open()) {
      struct stat status {};
      const int error = errno;
      const bool is_link =
          ::fstatat(at.number(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
          S_ISLNK(status.st_mode);
      refuse_file(path, is_link ? "is a symbolic link" : "cannot be opened: " + reason(error));
    }
    at = HeldFolder(std::move(path), std::move(folder));
  }
  return at;
}

std::optional<struct stat> HeldFolder::look_at(const std::string& name) const {
  struct stat status {};
  if (::fstatat(number(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return status;
}

void HeldFolder::sync() const {
  if (::fsync(number()) != 0) fail_file(path_, "cannot be synced");
}

bool is_same_inode(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

HeldFile::HeldFile(const std::string& path)
    : HeldFile(folder_of(path), fs::path(path).filename()) {}

HeldFile::HeldFile(HeldFolder folder, std::string name)
    : path_(folder.path_of(name)),
      folder_(std::move(folder)),
      name_(std::move(name)),
      descriptor_(open_file(folder_, name_)) {}

HeldFile HeldFile::behind_links(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) refuse_file(path, "is gone");
  HeldFile file(real.native());
  file.path_ = path;
  return file;
}

struct stat HeldFile::status() const {
  struct stat status {};
  if (::fstat(descriptor_.number(), &status) != 0) fail_file(path_, "cannot be looked at");
  return status;
}

bool HeldFile::has_same_bytes(const HeldFile& other) const {
  return have_same_bytes({descriptor_, path_}, {other.descriptor_, other.path_});
}

ContentHash HeldFile::content() const {
  std::vector<std::uint8_t> part;
  std::size_t done = 0;
  return hash_parts([&] {
    read_part({descriptor_, path_}, done, part);
    done += part.size();
    return std::span<const std::uint8_t>(part);
  });
}

bool HeldFile::is_still_there(const HeldFile& bytes, const struct stat* before) const {
  struct statx now {};
  if (::statx(AT_FDCWD, path_.c_str(), AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &now) != 0) {
    return false;
  }
  if (before != nullptr && (before->st_ctim.tv_sec != now.stx_ctime.tv_sec ||
                            before->st_ctim.tv_nsec != now.stx_ctime.tv_nsec)) {
    return false;
  }
  const FileDescriptor opened = open_regular(path_, true);
  struct stat status {};
  return opened.is_open() && ::fstat(opened.number(), &status) == 0 &&
         is_same_inode(status, this->status()) &&
         have_same_bytes({opened, path_}, {bytes.descriptor_, bytes.path_});
}

std::optional<std::string> differing_attribute(const HeldFile& a, const HeldFile& b) {
  const struct stat of_a = a.status();
  const struct stat of_b = b.status();
  if (of_a.st_uid != of_b.st_uid) return "owner";
  if (of_a.st_gid != of_b.st_gid) return "group";
  if (of_a.st_mode != of_b.st_mode) return "mode";
  const auto first = extended_attributes(a.descriptor());
  const auto second = extended_attributes(b.descriptor());
  for (const auto* const some : {&first, &second}) {
    const auto& other = some == &first ? second : first;
    for (const auto& [name, value] : *some) {
      const auto same = other.find(name);
      if (same == other.end() || same->second != value) return name;
    }
  }
  return std::nullopt;
}

void copy_attributes(const HeldFile& from, const FileDescriptor& to) {
  const struct stat status = from.status();
  for (const auto& [name, value] : extended_attributes(from.descriptor())) {
    ::fsetxattr(to.number(), name.c_str(), value.data(), value.size(), 0);
  }
  [[maybe_unused]] const int owned = ::fchown(to.number(), status.st_uid, status.st_gid);
  ::fchmod(to.number(), status.st_mode & 0777U);
  const std::array<timespec, 2> times = {status.st_atim, status.st_mtim};
  ::futimens(to.number(), times.data());
}

}  // namespace lookalike
