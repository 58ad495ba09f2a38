#include "base/source_file.h"

#include <tuple>
#include <utility>

#include "base/files.h"

namespace lookalike {

bool is_same_state(const SourceFile& a, const SourceFile& b) {
  const auto state = [](const SourceFile& file) {
    return std::tie(file.size_bytes, file.modified_ns, file.changed_ns, file.inode);
  };
  return state(a) == state(b);
}

bool differs_in_status_time(const SourceFile& before, const SourceFile& now) {
  SourceFile expected = before;
  expected.changed_ns = now.changed_ns;
  return before.changed_ns != now.changed_ns && is_same_state(expected, now);
}

bool is_relinked(const SourceFile& before, const SourceFile& now) {
  const bool is_known = before.links != 0 && now.links != 0;
  return is_known && before.links != now.links && differs_in_status_time(before, now);
}

SourceFile source_file(std::string path, const struct stat& status) {
  return {.path = std::move(path),
          .size_bytes = static_cast<std::uint64_t>(status.st_size),
          .modified_ns = modified_ns(status),
          .changed_ns = ns_since_epoch(status.st_ctim),
          .inode = status.st_ino,
          .links = status.st_nlink};
}

std::optional<SourceFile> look_at(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return source_file(path, status);
}

}  // namespace lookalike
