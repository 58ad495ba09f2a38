#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <sys/stat.h>

namespace lookalike {

// A file to index, or an indexed one, as it was when it was looked at.
struct SourceFile {
  // Absolute, as bytes in any encoding; or the name of an image without a file, see is_path().
  std::string path;
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;  // since the epoch; programs can set it
  std::int64_t changed_ns = 0;   // since the epoch; st_ctim, which programs cannot set
  std::uint64_t inode = 0;
  std::uint64_t links = 0;  // hard links to it; 0: not known

  bool operator==(const SourceFile&) const = default;
};

// True if size, times and inode are the same, whatever the names.
bool is_same_state(const SourceFile& a, const SourceFile& b);

// True if the status time differs and nothing else of the state, and the number of hard links shows
// why: a link that is made or removed, as by a backup, sets that time.
bool is_relinked(const SourceFile& before, const SourceFile& now);

// True if nothing of the state differs but the status time.
bool differs_in_status_time(const SourceFile& before, const SourceFile& now);

SourceFile source_file(std::string path, const struct stat& status);

// Returns a regular file, or the one that a link leads to, as it is now; nothing if there is none.
std::optional<SourceFile> look_at(const std::string& path);

}  // namespace lookalike
