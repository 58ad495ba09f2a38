#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/path_set.h"
#include "base/scan.h"

namespace lookalike {

// The changes that bring an index in line with the file system.
struct UpdatePlan {
  std::vector<SourceFile> to_index;        // new, or of another size or time than known; by path
  std::vector<SkippedFile> still_skipped;  // set aside in an earlier run, and unchanged
  std::vector<SkippedFile> to_set_aside;   // what the scan skipped, but for indexed files
                                           // that it could not read, which stay as they are
  std::vector<std::string> gone;           // indexed files that the scan did not find, by path
  std::vector<std::string> gone_skipped;   // the same of files that were set aside
  std::size_t unchanged = 0;
};

// Files and folders that could not be read: files that are missing below them are not gone.
class OutOfSight {
 public:
  // Those of the skipped whose reason is "unreadable" or "vanished"; they must outlive this.
  explicit OutOfSight(const std::vector<SkippedFile>& skipped);

  // The one that is this path or the innermost folder above it; nullptr without one.
  const SkippedFile* covering(std::string_view path) const;

 private:
  PathSet folders_;  // paths of both
  std::unordered_map<std::string_view, const SkippedFile*> skipped_;
};

// Compares what a scan found with the files that the index has and those that it has set aside,
// pages of files among them. A file set aside for its content ("empty", "undecodable", "too_small")
// is tried again only when it changes; other reasons may no longer hold, so those files are tried
// again. Files out of sight are not gone.
UpdatePlan plan_update(const ScanResult& found, const std::vector<SourceFile>& indexed,
                       const std::vector<SkippedFile>& skipped);

}  // namespace lookalike
