#include "storage/log_files.h"

#include <sys/stat.h>
#include <system_error>

namespace lookalike {

LogFiles::LogFiles(const std::filesystem::path& database) {
  files_[0].path = database.native() + "-wal";
  files_[1].path = database.native() + "-shm";
  for (LogFile& file : files_) file.id = id_of(file.path);
}

void LogFiles::remove() const {
  std::error_code ignored;
  for (const LogFile& file : files_) {
    if (file.id && file.id == id_of(file.path)) std::filesystem::remove(file.path, ignored);
  }
}

std::optional<LogFiles::FileId> LogFiles::id_of(const std::filesystem::path& file) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0) return std::nullopt;
  return FileId{status.st_dev, status.st_ino};
}

}  // namespace lookalike
