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

// An indexed file that a scan did not find, or that is no image any more.
struct GoneFile {
  std::string path;
  std::string root;    // the scanned root that holds it
  bool moved = false;  // this run read its content elsewhere
};

// What the removal of files depends on in a scanned root.
struct GuardedRoot {
  std::size_t files = 0;  // in the index before the run
  bool empty = false;     // no file in it can be used
  // A folder that is on another file system than before, or a vanished mount point; or empty.
  std::string remounted{};
  std::unordered_set<std::string> confirmed{};  // files whose removal a person confirmed
};

// Withheld removals of a root.
struct WithheldRemovals {
  std::vector<std::string> files;
  std::string reason;
};

// What happens to gone files.
struct Removals {
  std::vector<std::string> moved;
  std::vector<std::string> removed;
  std::map<std::string, WithheldRemovals> withheld;  // by root
};

// The maximum number of removals that are never withheld because of their number.
inline constexpr std::size_t kFewRemovals = 20;

// Decides which files leave an index. Moved files leave it. A root withholds all its other removals
// if
//   - they are more than kFewRemovals and more than max_removed_share of its files,
//   - no file in the root can be used, or
//   - one of its folders was remounted:
// an unmounted disk causes each of these. Confirmed removals are not withheld; the others are
// judged as if those had left before. `roots` must have the root of every file.
Removals decide_removals(std::span<const GoneFile> gone,
                         const std::map<std::string, GuardedRoot>& roots, double max_removed_share);

// Returns GuardedRoot::remounted, from the root as stored in the index and the scanned folders.
std::string remounted_folder(const IndexRoot& known, std::span<const ScannedFolder> scanned);

}  // namespace lookalike
