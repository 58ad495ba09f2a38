#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/artefacts.h"
#include "base/error.h"

namespace lookalike {

// A folder and its file system.
struct FolderDevice {
  std::string path;
  std::uint64_t device = 0;       // st_dev, which may change when a file system is mounted again
  std::uint64_t file_system = 0;  // f_fsid, which does not; 0: the file system has none

  bool operator==(const FolderDevice&) const = default;
};

// True if the folder is on the same file system as before.
bool is_same_file_system(const FolderDevice& before, const FolderDevice& now);

// A folder given to a scan.
struct ScannedFolder {
  std::string path;     // in the form of normal_path()
  std::string problem;  // why it could not be scanned, such as "no such folder", or empty
  // The folder itself, then each mount point below it.
  std::vector<FolderDevice> devices;
};

// Files and skipped files are sorted by the bytes of their paths.
struct ScanResult {
  std::vector<SourceFile> files;
  // "unreadable": files and folders that could not be inspected, but may exist; "not_a_file":
  // broken links, FIFOs, sockets and devices.
  std::vector<SkippedFile> skipped;
  std::vector<ScannedFolder> folders{};  // in the order given, each once
};

// True if files missing from the result may exist there, as in an unreadable folder.
bool may_hide_files(const SkippedFile& skipped);

// Adds a file of any extension to the result as scan_folders() does.
void add_file(const std::string& path, ScanResult& result);

// True if the name ends in a dot and one of the extensions, in any case.
bool is_image_name(const std::filesystem::path& file, std::span<const std::string> extensions);

// The files of a folder that are images to index.
struct ScanRules {
  std::span<const std::string> extensions;  // for is_image_name()
  // Patterns of IgnoreRules, for each folder given to the scan. A file .lookalikeignore adds
  // patterns for its own folder, which is "unreadable" if that file cannot be read.
  std::span<const std::string> exclude;
  // Include hidden files and folders, but no system folders (base/system_folders.h).
  bool hidden = false;
  // Also scan folders that links lead to and that are not scanned otherwise, each once.
  bool follow_links = false;
};

// Why a scan leaves a file out.
enum class LeftOut {
  kNot,             // it is not left out
  kByEnding,        // ScanRules::extensions
  kInSystemFolder,  // is_system_folder()
  kHidden,          // ScanRules::hidden
  kByPattern,       // ScanRules::exclude
  kByIgnoreFile,    // a .lookalikeignore
  kByLink,          // ScanRules::follow_links
};

// Takes a file below a folder given to the scan, both in the form of normal_path().
LeftOut why_left_out(const std::string& file, const std::string& folder, const ScanRules& rules);

// What a scan left out.
struct Omissions {
  std::size_t hidden = 0;    // files named like images, and folders, which count as one
  std::size_t excluded = 0;  // by patterns; counted in the same way
  std::size_t system_folders = 0;
  // Links that were not followed, by path. Their folders were not scanned otherwise.
  std::vector<std::string> linked_folders{};
  // Other files that are not hidden, by lower-case ending; "" for no ending.
  std::map<std::string, std::size_t> other_types{};
};

// Returns "14 other files left out (12 PDF, 2 videos)", the most frequent first; empty for none.
std::string other_types_text(const Omissions& left_out);

// Returns "2 links to folders are not followed: /a/b, /a/c; ..." and what to do; empty for none.
std::string linked_folders_text(const Omissions& left_out);

// Returns the Error(kInput) for a scan that found nothing.
Error no_images(std::span<const std::string> folders, const Omissions& left_out);

// Searches folders recursively for images by the rules: regular files and links to them. Adds to
// left_out. Paths are absolute; a file under two of the folders is listed once. A given folder is
// scanned even if it is hidden or a system folder; one that is missing, no folder or unreadable has
// a problem in `folders`. Never follows a link to a folder that holds it. Calls after_each after
// each entry of a folder; an exception from it ends the scan.
ScanResult scan_folders(
    std::span<const std::string> folders, const ScanRules& rules, Omissions& left_out,
    const std::function<void()>& after_each = [] {});

}  // namespace lookalike
