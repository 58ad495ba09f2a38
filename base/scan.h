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
  std::uint64_t file_system = 0;  // f_fsid, which does not; 0 where a file system has none

  bool operator==(const FolderDevice&) const = default;
};

// Whether the folder is on the same file system as before.
bool is_same_file_system(const FolderDevice& before, const FolderDevice& now);

// A folder passed to the scan.
struct ScannedFolder {
  std::string path;     // in the form of normal_path()
  std::string problem;  // why it could not be scanned, such as "no such folder"; empty: none
  // The folder itself, then each folder below it on which another file system is mounted.
  std::vector<FolderDevice> devices;
};

// Files and skipped files are sorted by the bytes of their paths.
struct ScanResult {
  std::vector<SourceFile> files;
  // "unreadable": files and folders that could not be inspected, so that they and anything below
  // them may still exist; "not_a_file": broken links, FIFOs, sockets and devices.
  std::vector<SkippedFile> skipped;
  std::vector<ScannedFolder> folders{};  // in the order given, each once
};

// Whether a scan could not tell what is there, as for an unreadable folder: it may hold files that
// are not in the result.
bool may_hide_files(const SkippedFile& skipped);

// Adds one file to the result as scan_folders() does, whatever its extension.
void add_file(const std::string& path, ScanResult& result);

// Whether the name ends in a dot and one of the extensions, in any case.
bool is_image_name(const std::filesystem::path& file, std::span<const std::string> extensions);

// Which files of a folder are images to index.
struct ScanRules {
  std::span<const std::string> extensions;  // for is_image_name()
  // Patterns of IgnoreRules for each folder given to the scan. A file named .lookalikeignore has
  // more of them for its own folder, which is "unreadable" if that file cannot be read.
  std::span<const std::string> exclude;
  // Also hidden files and folders, and those that a NAS keeps for itself: "@eaDir", "#recycle".
  bool hidden = false;
};

// Why a scan leaves a file out.
enum class LeftOut {
  kNot,           // it does not
  kByEnding,      // ScanRules::extensions
  kHidden,        // as a hidden file, or in a hidden folder
  kByPattern,     // ScanRules::exclude
  kByIgnoreFile,  // a .lookalikeignore
};

// For a file below a folder given to the scan, both in the form of normal_path().
LeftOut why_left_out(const std::string& file, const std::string& folder, const ScanRules& rules);

// What a scan left out.
struct Omissions {
  std::size_t hidden = 0;    // files with names of images, and folders, each with all below it
  std::size_t excluded = 0;  // by patterns, counted alike
  // Other files but hidden ones, by ending in lower case; "" for those without an ending.
  std::map<std::string, std::size_t> other_types{};
};

// "4 files of other types ignored: mov 3, xcf 1", the most frequent first; empty for none.
std::string other_types_text(const Omissions& left_out);

// The Error(kInput) of a scan that found nothing.
Error no_images(std::span<const std::string> folders, const Omissions& left_out);

// Searches folders recursively for regular files, and links to such, that the rules take for
// images, and adds to left_out. FIFOs, sockets and devices of such names are skipped. Links to
// folders are not followed, so there are no loops. Paths are absolute, in the bytes of the file
// system; a file under two of the folders is listed once. A given folder is scanned even if it is
// hidden; one that is missing, not a folder, or unreadable has a problem in `folders`. after_each
// is called after each entry of a folder; an exception from it ends the scan.
ScanResult scan_folders(
    std::span<const std::string> folders, const ScanRules& rules, Omissions& left_out,
    const std::function<void()>& after_each = [] {});

}  // namespace lookalike
