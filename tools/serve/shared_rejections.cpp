#include "tools/serve/shared_rejections.h"

#include <sys/stat.h>

#include <fmt/format.h>

namespace lookalike {

bool FileStamps::have_changed() {
  std::string now;
  for (const std::filesystem::path& file : files_) {
    struct stat is {};
    if (::stat(file.c_str(), &is) != 0) is = {};
    now += fmt::format("{} {} {} {}.{:09}\n", is.st_dev, is.st_ino, is.st_size, is.st_mtim.tv_sec,
                       is.st_mtim.tv_nsec);
  }
  if (now == last_) return false;
  last_ = std::move(now);
  return true;
}

std::shared_ptr<const Rejections> SharedRejections::read() {
  const std::lock_guard lock(mutex_);
  if (stamps_.have_changed() || !read_) {
    read_.reset();  // so that a file that cannot be read fails every request, not the first alone
    read_ = std::make_shared<const Rejections>(read_rejections(database_));
  }
  return read_;
}

}  // namespace lookalike
