#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "pipeline/artefacts.h"

namespace lookalike {

// The files that a scan found, each list sorted by the bytes of the path.
struct ScanResult {
  std::vector<SourceFile> files;
  // "unreadable": files and folders that could not be looked at, so that nothing is known of them
  // or of what is below; "not_a_file": links that lead nowhere, FIFOs, sockets and devices.
  std::vector<SkippedFile> skipped;
};

// Walks folders to the bottom for regular files, or links to them, whose name ends in a dot and
// one of the extensions, in any case. FIFOs, sockets and devices of such a name are skipped. Links
// to folders are not followed, so there are no loops. Paths are absolute and keep the bytes that
// the file system has; a file under two of the folders is listed once.
// A folder that was named and is without any is skipped where others have some: what an index has
// from it must not go because a disk is not mounted tonight.
// Calls after_each after each entry of a folder; what that throws ends it.
// Throws Error(kInput) when one of the folders is missing, is none, or cannot be read.
ScanResult scan_folders(
    std::span<const std::string> folders, std::span<const std::string> extensions,
    const std::function<void()>& after_each = [] {});

}  // namespace lookalike
