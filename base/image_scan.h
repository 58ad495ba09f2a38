#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>

#include "base/scan.h"

namespace lookalike {

// Which files of a folder are images to index.
struct ScanRules {
  std::span<const std::string> extensions;  // for is_image_name()
  // Patterns of IgnoreRules for each folder given to the scan. A file named .lookalikeignore has
  // more of them for its own folder.
  std::span<const std::string> exclude;
  // Also hidden files and folders, and those that a NAS keeps for itself: "@eaDir", "#recycle".
  bool hidden = false;
};

// What a scan found and left out.
struct Omissions {
  std::size_t hidden = 0;    // files with names of images, and folders, each with all below it
  std::size_t excluded = 0;  // by patterns, counted alike
  std::map<std::string, std::size_t> other_types{};  // other files, by ending in lower case
};

// As the other scan_folders(), by rules, of which that one has the extensions alone. Folders that
// are given to the scan are scanned even if they are hidden. Adds to left_out.
ScanResult scan_folders(
    std::span<const std::string> folders, const ScanRules& rules, Omissions& left_out,
    const std::function<void()>& after_each = [] {});

}  // namespace lookalike
