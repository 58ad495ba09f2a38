#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/path_set.h"
#include "base/scan.h"

namespace lookalike {

// The changes that bring an index in line with the file system.
struct UpdatePlan {
  std::vector<SourceFile> to_index;        // new, or with another size or time; by path
  std::vector<SkippedFile> still_skipped;  // in quarantine, and unchanged
  std::vector<std::string> gone;           // indexed files that the scan did not find, by path
  std::vector<std::string> gone_skipped;   // the same for files in quarantine
  std::size_t unchanged = 0;
  // Among them those with another status time, which the index is to take over.
  std::vector<SourceFile> restated;
};

// True if a file or folder could not be read, or not this time. Nothing is known against the images
// in it.
bool is_out_of_sight(const SkippedFile& skipped);

// Files and folders that are out of sight. Files below them may still exist.
class OutOfSight {
 public:
  // `skipped` must outlive this.
  explicit OutOfSight(const std::vector<SkippedFile>& skipped);

  // Returns the entry for this path or the innermost folder above it; nullptr if there is none.
  const SkippedFile* covering(std::string_view path) const;

 private:
  PathSet paths_;
  std::unordered_map<std::string_view, const SkippedFile*> skipped_;
};

// Compares the result of a scan with the indexed and the skipped files of an index, which include
// pages. A file skipped for its content ("empty", "undecodable", "too_small") is tried again only
// when it changes, one skipped for another reason in every run. Files out of sight are not gone.
//   trust_times  an indexed file whose status time alone differs is unchanged; without it, only one
//                that is_relinked()
UpdatePlan plan_update(const ScanResult& found, const std::vector<SourceFile>& indexed,
                       const std::vector<SkippedFile>& skipped, bool trust_times = false);

// Returns how many of the files, which were read again and have the bytes that they had, were read
// for which reason: "modification_time", "inode" or "status_time", the first that differs.
//   before, now  sorted by path
std::map<std::string, std::size_t> reasons_to_read(const std::vector<std::string>& files,
                                                   const std::vector<SourceFile>& before,
                                                   const std::vector<SourceFile>& now);

// Returns the skipped files that were not in quarantine for the same reason before the run. A file
// whose images stay in the index is never in quarantine, so it is new in every run.
std::vector<SkippedFile> newly_skipped(const std::vector<SkippedFile>& skipped,
                                       const std::vector<SkippedFile>& quarantine);

}  // namespace lookalike
