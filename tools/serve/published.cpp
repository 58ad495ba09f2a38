#include "tools/serve/published.h"

#include <sys/stat.h>

#include <fmt/format.h>

namespace lookalike {

std::string version_of(const std::vector<std::filesystem::path>& files) {
  std::string version;
  for (const std::filesystem::path& file : files) {
    struct stat is {};
    if (::stat(file.c_str(), &is) != 0) is = {};
    version += fmt::format("{} {} {} {}.{:09}\n", is.st_dev, is.st_ino, is.st_size,
                           is.st_mtim.tv_sec, is.st_mtim.tv_nsec);
  }
  return version;
}

}  // namespace lookalike
