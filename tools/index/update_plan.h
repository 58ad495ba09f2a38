#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/scan.h"

namespace lookalike {

// What has to be done so that an index agrees with the file system.
struct UpdatePlan {
  std::vector<SourceFile> to_index;        // new, or of another size or time than known; by path
  std::vector<SkippedFile> still_skipped;  // set aside in an earlier run, and unchanged
  std::vector<std::string> gone;           // paths that the index knows and the scan did not find
  std::size_t unchanged = 0;
  std::size_t removed = 0;  // how many of `gone` are indexed
};

// Whether a file lies under a folder, however deep.
bool is_under(std::string_view path, std::string_view folder);

// Compares what a scan found with the files that the index has and those that it has set aside.
// A file set aside for what is in it ("empty", "undecodable", "too_small") is taken up again only
// when it changes; other reasons may have gone away, so those are tried again. What lies under a
// folder that could not be opened is not gone.
UpdatePlan plan_update(const ScanResult& found, const std::vector<SourceFile>& indexed,
                       const std::vector<SkippedFile>& skipped);

}  // namespace lookalike
