#include "tools/serve/shared_rejections.h"

#include <sys/stat.h>

#include <fmt/format.h>

#include "pipeline/searcher.h"

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

namespace {

std::vector<std::filesystem::path> rejection_files(const RunConfig& config) {
  std::vector<std::filesystem::path> files = searched_databases(config);
  for (std::filesystem::path& file : files) file = rejection_file(file);
  return files;
}

}  // namespace

SharedRejections::SharedRejections(const RunConfig& config)
    : config_(config), stamps_(rejection_files(config)) {}

std::shared_ptr<const Rejections> SharedRejections::read() {
  const std::lock_guard lock(mutex_);
  if (stamps_.have_changed() || !read_) {
    read_.reset();  // so that a file that cannot be read fails every request, not the first alone
    read_ = std::make_shared<const Rejections>(searched_rejections(config_));
  }
  return read_;
}

}  // namespace lookalike
