#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/artefacts.h"

namespace lookalike {

// A folder and the file system that it is on.
struct FolderDevice {
  std::string path;
  std::uint64_t device = 0;       // st_dev, which may change when a file system is mounted again
  std::uint64_t file_system = 0;  // f_fsid, which does not; 0 where a file system has none

  bool operator==(const FolderDevice&) const = default;
};

// Whether the folder is on the file system that it was on.
bool is_same_file_system(const FolderDevice& before, const FolderDevice& now);

// A folder that was named, as the scan found it.
struct ScannedFolder {
  std::string path;     // as normal_path() gives it
  std::string problem;  // why it could not be scanned, such as "no such folder"; empty: it was
  // Of the folder itself, then of each below it that begins another file system.
  std::vector<FolderDevice> devices;
};

// What a scan found; files and skipped files by the bytes of the path.
struct ScanResult {
  std::vector<SourceFile> files;
  // "unreadable": files and folders that could not be looked at, so that nothing is known of them
  // or of what is below; "not_a_file": links that lead nowhere, FIFOs, sockets and devices.
  std::vector<SkippedFile> skipped;
  std::vector<ScannedFolder> folders{};  // as they were named, each once
};

// Adds one file to what a scan found, as a scan does, whatever its name ends in.
void add_file(const std::string& path, ScanResult& found);

// Whether the name ends in a dot and one of the extensions, in any case.
bool is_image_name(const std::filesystem::path& file, std::span<const std::string> extensions);

// Walks folders recursively for regular files, or links to them, that is_image_name() accepts.
// FIFOs, sockets and devices of such a name are skipped. Links to folders are not followed, so
// there are no loops. Paths are absolute and keep the bytes that the file system has; a file under
// two of the folders is listed once.
// A named folder that is missing, is none, or cannot be read has a problem in `folders`.
// Calls after_each after each entry of a folder; what that throws ends the scan.
ScanResult scan_folders(
    std::span<const std::string> folders, std::span<const std::string> extensions,
    const std::function<void()>& after_each = [] {});

}  // namespace lookalike
