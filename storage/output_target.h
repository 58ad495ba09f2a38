#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "storage/atomic_file.h"

namespace lookalike {

// The file that an option names for writing.
struct OutputTarget {
  std::string option;           // "--report"
  std::filesystem::path given;  // as the option has it
  // The absolute names of the file: first the one that was given, without "." and "..", then that
  // of each link on the way, last the file's own. The file need not exist.
  std::vector<std::filesystem::path> names;
  bool is_link = false;  // whether the name that was given is one
  // A duplicate of the process's open file that the names lead to (/dev/stdout, /dev/fd/N); else
  // not open.
  FileDescriptor open_file{};

  const std::filesystem::path& path() const { return names.back(); }

  // Throws Error(kUsage, "OPTION: PATH: what"); for a link the message names its target.
  [[noreturn]] void refuse(const std::string& what) const;
};

// Follows symbolic links one by one. Refuses a path whose folder does not exist, a path that ends
// in a slash, "." or "..", dangling links, loops, and a number of a file that is not open for
// writing.
OutputTarget follow_links(const std::string& option, const std::filesystem::path& path);

}  // namespace lookalike
