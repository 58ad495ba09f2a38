#include <algorithm>
#include <filesystem>
#include <map>
#include <span>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/path_set.h"
#include "config/scan_rules.h"
#include "pipeline/index/removals.h"
#include "pipeline/index/run_phases.h"

namespace lookalike {
namespace {

std::string_view name_of(LeftOut why) {
  switch (why) {
    case LeftOut::kByEnding:
      return "images.extensions";
    case LeftOut::kHidden:
      return "images.hidden";
    case LeftOut::kByPattern:
      return "images.exclude";
    case LeftOut::kByIgnoreFile:
      return ".lookalikeignore";
    case LeftOut::kByLink:
      return "images.follow_links";
    case LeftOut::kNot:
      break;
  }
  return "no rule";
}

// Returns a remark on files that the scan of their root did not find: how many of them exist and
// which rules leave them out. Empty if none exists.
std::string left_out_text(std::span<const std::string> files, const std::string& root,
                          const ScanRules& rules) {
  std::map<std::string_view, std::size_t> counts;
  std::size_t existing = 0;
  for (const std::string& file : files) {
    std::error_code unknown;
    if (!std::filesystem::exists(std::filesystem::symlink_status(file, unknown))) continue;
    ++existing;
    ++counts[name_of(why_left_out(file, root, rules))];
  }
  if (existing == 0) return {};
  std::vector<std::string> names;
  names.reserve(counts.size());
  for (const auto& [name, count] : counts) names.push_back(fmt::format("{} ({})", name, count));
  return fmt::format("; {} of them exist, and are left out by {}", existing,
                     fmt::join(names, ", "));
}

// A file has moved if a file that this run has read has its content.
std::vector<GoneFile> gone_files(const IndexReader& index, const RunRoots& roots,
                                 const UpdatePlan& plan) {
  std::vector<GoneFile> gone;
  if (plan.gone.empty()) return gone;
  std::unordered_set<std::string_view> read;
  for (const SourceFile& file : plan.to_index) read.insert(file.path);
  for (const std::string& path : plan.gone) {
    const RunRoot* const root = roots.root_of(path);
    const std::optional<ImageId> image = index.find(path);
    if (root == nullptr || !image) continue;
    const bool moved = std::ranges::any_of(
        index.image(*image)->paths, [&](const std::string& name) { return read.contains(name); });
    gone.push_back({path, root->known.path, moved});
  }
  return gone;
}

// Returns how many of the files that this run has read are new names of moved files.
std::size_t count_new_names(const IndexReader& index, const std::vector<std::string>& moved,
                            const UpdatePlan& plan) {
  std::unordered_set<std::string> unclaimed;
  if (!moved.empty()) {
    for (const SourceFile& file : plan.to_index) unclaimed.insert(file.path);
  }
  std::size_t count = 0;
  for (const std::string& path : moved) {
    const StoredImage image = index.existing_image(index.find(path).value());
    count += std::ranges::any_of(
        image.paths, [&](const std::string& name) { return unclaimed.erase(name) > 0; });
  }
  return count;
}

std::map<std::string, GuardedRoot> guarded_roots(RunContext& run, const RunRoots& roots,
                                                 const ScanResult& found) {
  std::map<std::string, GuardedRoot> guarded;
  for (const auto& [path, root] : roots.all()) {
    if (!root.is_scanned) continue;
    guarded[path] = {.files = run.report_of(path).files,
                     .empty = true,
                     .remounted = remounted_folder(root.known, found.folders)};
  }
  for (const SourceFile& file : found.files) {
    if (const RunRoot* const root = roots.root_of(file.path)) {
      guarded.at(root->known.path).empty = false;
    }
  }
  for (const std::string& name : run.options.confirmed_roots) {
    const auto guard = guarded.find(normal_path(name));
    if (guard == guarded.end()) continue;
    const std::vector<std::string>& withheld = roots.all().at(guard->first).known.withheld;
    guard->second.confirmed.insert(withheld.begin(), withheld.end());
  }
  return guarded;
}

// A root that withholds removals keeps its devices, so that it still counts as remounted.
void store_scanned_roots(RunContext& run, const RunRoots& roots, Removals removals) {
  std::vector<IndexRoot> scanned;
  for (const auto& [path, root] : roots.all()) {
    if (!root.is_scanned) continue;
    IndexRoot& now = scanned.emplace_back();
    now.path = path;
    now.scanned_ns = run.recorder.started_ns();
    const auto withheld = removals.withheld.find(path);
    if (withheld == removals.withheld.end()) {
      now.devices = root.devices;
      continue;
    }
    now.devices = root.known.devices;
    now.withheld = std::move(withheld->second.files);
    RootReport& report = run.report_of(path);
    report.withheld = now.withheld.size();
    report.problem =
        withheld->second.reason + left_out_text(now.withheld, path, scan_rules(run.config.images));
    run.report.withheld += report.withheld;
  }
  run.writer.put_roots(scanned);
}

}  // namespace

void remove_gone_files(RunContext& run, const RunRoots& roots, const UpdatePlan& plan,
                       const ScanResult& found) {
  Removals removals =
      decide_removals(gone_files(run.writer, roots, plan), guarded_roots(run, roots, found),
                      run.config.images.max_removed_share);
  run.report.indexed -=
      std::min(run.report.indexed, count_new_names(run.writer, removals.moved, plan));
  std::vector<std::string> leaving = removals.moved;
  leaving.insert(leaving.end(), removals.removed.begin(), removals.removed.end());
  for (const std::string& file : plan.gone_skipped) {
    const RunRoot* const root = roots.root_of(file);
    if (root && !removals.withheld.contains(root->known.path)) leaving.push_back(file);
  }
  if (!leaving.empty()) {
    run.writer.remove_paths(leaving);
    run.writer.merge_segments(run.config.store.max_segments);
  }
  run.report.moved = removals.moved.size();
  run.report.removed = removals.removed.size();
  store_scanned_roots(run, roots, std::move(removals));
}

}  // namespace lookalike
