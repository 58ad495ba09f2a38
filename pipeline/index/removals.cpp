#include "pipeline/index/removals.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace lookalike {
namespace {

// Returns why a root withholds this number of removals; empty if it does not.
//   files  in the index before them
std::string reason_to_withhold(const GuardedRoot& root, std::size_t removals, std::size_t files,
                               double max_removed_share) {
  if (root.empty) return "no image is left in it";
  if (!root.remounted.empty()) {
    return fmt::format("{} is on another disk than before", printable(root.remounted));
  }
  const double share = static_cast<double>(removals) / static_cast<double>(files);
  if (removals <= kFewRemovals || share <= max_removed_share) return {};
  return fmt::format("that is more than images.max_removed_share = {}", max_removed_share);
}

}  // namespace

Removals decide_removals(std::span<const GoneFile> gone,
                         const std::map<std::string, GuardedRoot>& roots,
                         double max_removed_share) {
  Removals removals;
  std::map<std::string, std::vector<std::string>> by_root;
  std::map<std::string, std::size_t> confirmed;
  for (const GoneFile& file : gone) {
    if (file.moved) {
      removals.moved.push_back(file.path);
    } else if (roots.at(file.root).confirmed.contains(file.path)) {
      removals.removed.push_back(file.path);
      ++confirmed[file.root];
    } else {
      by_root[file.root].push_back(file.path);
    }
  }
  for (auto& [root, files] : by_root) {
    const GuardedRoot& guard = roots.at(root);
    std::string reason =
        reason_to_withhold(guard, files.size(), guard.files - confirmed[root], max_removed_share);
    if (reason.empty()) {
      removals.removed.insert(removals.removed.end(), files.begin(), files.end());
    } else {
      removals.withheld[root] = {std::move(files), std::move(reason)};
    }
  }
  return removals;
}

std::string remounted_folder(const IndexRoot& known, std::span<const ScannedFolder> scanned) {
  // Search all folders: one below a root may have become a root itself.
  const auto is_as_before = [&](const FolderDevice& before) {
    return std::ranges::any_of(scanned, [&](const ScannedFolder& folder) {
      return std::ranges::any_of(folder.devices, [&](const FolderDevice& now) {
        return now.path == before.path && is_same_file_system(before, now);
      });
    });
  };
  const auto changed = std::ranges::find_if_not(known.devices, is_as_before);
  return changed == known.devices.end() ? std::string() : changed->path;
}

}  // namespace lookalike
