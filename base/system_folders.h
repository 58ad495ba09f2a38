#pragma once

#include <span>
#include <string_view>

namespace lookalike {

// Folders in which a system, a NAS or a program for synchronisation keeps deleted files, earlier
// versions, snapshots or thumbnails.
struct SystemFolder {
  std::string_view pattern;  // of its name, as for fnmatch(3) in any case
  std::string_view keeper;   // what keeps it
  std::string_view content;  // what it holds
};

// Returns the table of such folders; docs/nightly.md lists their patterns.
std::span<const SystemFolder> system_folders();

// True if a folder of this name is one of them. Names are compared in any case, as the file systems
// of Windows and macOS do, and network shares of either.
bool is_system_folder(std::string_view name);

}  // namespace lookalike
