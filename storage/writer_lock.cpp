#include "storage/writer_lock.h"

#include <sys/stat.h>

#include <fmt/format.h>

#include "base/error.h"

namespace lookalike {
namespace {

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

}  // namespace

WriterLock::WriterLock(const std::filesystem::path& database)
    : file_(lock_of(database), database.string() + ": is being written by ",
            std::chrono::milliseconds(0)) {}

void WriterLock::name_file(const std::filesystem::path& database) const {
  file_.add_line(inode_line(database));
}

std::optional<std::string> current_writer(const std::filesystem::path& database) {
  const SeenLock lock(lock_of(database));
  return lock.exists() && lock.is_held() ? std::optional(lock.holder()) : std::nullopt;
}

void require_same_file(const std::filesystem::path& database) {
  const SeenLock lock(lock_of(database));
  if (!lock.exists()) return;
  const std::string written = lock.added_line();
  // Last, since trying the lock may make a starting writer fail.
  if (written.empty() || written == inode_line(database) || !lock.is_held()) return;
  throw Error(ErrorKind::kStorage,
              fmt::format("{}: was replaced while {} was writing it: wait until that has ended",
                          database.string(), lock.holder()));
}

}  // namespace lookalike
