#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/scan.h"
#include "storage/index_types.h"

namespace lookalike {

// An indexed file that a scan did not find.
struct GoneFile {
  std::string path;
  std::string root;    // the scanned root that holds it
  bool moved = false;  // this run found its content elsewhere
};

// A scanned root, as far as the removal of its files depends on it.
struct GuardedRoot {
  std::size_t files = 0;  // in the index before the run
  bool empty = false;     // the scan found no image in it
  // A folder that is on another file system than before, or a mount point that is gone; or empty.
  std::string remounted{};
  std::unordered_set<std::string> confirmed{};  // files whose removal a person confirmed
};

// The removals of a root that are withheld, and why.
struct WithheldRemovals {
  std::vector<std::string> files;
  std::string reason;
};

// The outcome for files that are gone.
struct Removals {
  std::vector<std::string> moved;
  std::vector<std::string> removed;
  std::map<std::string, WithheldRemovals> withheld;  // by root
};

// A root never withholds this many removals or fewer on account of their number.
inline constexpr std::size_t kFewRemovals = 20;

// The rule by which files leave an index. Files that have moved leave it. The other removals of a
// root are withheld, all of them, when
//   - they are more than kFewRemovals and more than max_removed_share of its files,
//   - the scan found no image in it, or
//   - a folder of it was remounted:
// an unmounted disk causes each of these. Removals that were confirmed are neither counted nor
// withheld. `roots` must hold the root of every file.
Removals decide_removals(std::span<const GoneFile> gone,
                         const std::map<std::string, GuardedRoot>& roots, double max_removed_share);

// For GuardedRoot::remounted: compares what the index knows of a root with what a scan found.
std::string remounted_folder(const IndexRoot& known, std::span<const ScannedFolder> scanned);

}  // namespace lookalike
