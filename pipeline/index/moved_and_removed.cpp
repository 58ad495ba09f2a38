#include <algorithm>
#include <filesystem>
#include <map>
#include <span>
#include <string_view>
#include <system_error>
#include <unordered_map>
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
    case LeftOut::kInSystemFolder:
      return "system folders";
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

// Returns a remark on files that leave a root: how many of them exist, and why they leave. Empty if
// none exists.
std::string left_out_text(std::span<const std::string> files, const std::string& root,
                          const ScanRules& rules) {
  std::map<std::string_view, std::size_t> counts;
  std::size_t left_out = 0;
  std::size_t unusable = 0;
  for (const std::string& file : files) {
    std::error_code unknown;
    if (!std::filesystem::exists(std::filesystem::symlink_status(file, unknown))) continue;
    const LeftOut why = why_left_out(file, root, rules);
    if (why == LeftOut::kNot) {
      ++unusable;
    } else {
      ++left_out;
      ++counts[name_of(why)];
    }
  }
  std::vector<std::string> names;
  names.reserve(counts.size());
  for (const auto& [name, count] : counts) names.push_back(fmt::format("{} ({})", name, count));
  std::string text;
  if (left_out > 0) {
    text +=
        fmt::format("; {} of them exist, and are left out by {}", left_out, fmt::join(names, ", "));
  }
  if (unusable > 0) text += fmt::format("; {} of them exist, but cannot be used", unusable);
  return text;
}

using Names = std::unordered_set<std::string_view>;
using SkippedByPath = std::unordered_map<std::string_view, const SkippedFile*>;

// Returns the indexed files whose bytes are no image any more.
SkippedByPath broken_files(const RunContext& run) {
  SkippedByPath broken;
  for (const SkippedFile& skip : run.report.skipped) {
    if (is_out_of_sight(skip) || !run.writer.find(skip.file.path)) continue;
    broken[skip.file.path] = &skip;
  }
  return broken;
}

// Returns the files that had other content before this run, or were not in the index.
Names names_of_new_content(const RunContext& run, const UpdatePlan& plan) {
  Names names;
  for (const SourceFile& file : plan.to_index) names.insert(file.path);
  for (const SkippedFile& skip : run.report.skipped) names.erase(skip.file.path);
  for (const std::string& file : run.as_before) names.erase(file);
  return names;
}

// Returns the given indexed files in roots. A file has moved if its content has a new name.
std::vector<GoneFile> gone_files(const IndexReader& index, const RunRoots& roots,
                                 const std::vector<std::string>& paths, const Names& new_names) {
  std::vector<GoneFile> gone;
  for (const std::string& path : paths) {
    const RunRoot* const root = roots.root_of(path);
    const std::optional<ImageId> image = index.find(path);
    if (root == nullptr || !image) continue;
    const bool moved =
        std::ranges::any_of(index.image(*image)->paths,
                            [&](const std::string& name) { return new_names.contains(name); });
    gone.push_back({path, root->known.path, moved});
  }
  return gone;
}

// Returns how many of the new names are those of moved files.
std::size_t count_new_names(const IndexReader& index, const std::vector<std::string>& moved,
                            Names unclaimed) {
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
  Names skipped;
  for (const SkippedFile& skip : run.report.skipped) skipped.insert(skip.file.path);
  for (const SourceFile& file : found.files) {
    if (skipped.contains(file.path)) continue;
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
  const SkippedByPath broken = broken_files(run);
  std::vector<std::string> gone = plan.gone;
  for (const auto& [path, skip] : broken) gone.emplace_back(path);
  std::ranges::sort(gone);
  const Names new_names = gone.empty() ? Names() : names_of_new_content(run, plan);
  Removals removals =
      decide_removals(gone_files(run.writer, roots, gone, new_names),
                      guarded_roots(run, roots, found), run.config.images.max_removed_share);
  run.report.indexed -=
      std::min(run.report.indexed, count_new_names(run.writer, removals.moved, new_names));
  std::vector<std::string> leaving = removals.moved;
  leaving.insert(leaving.end(), removals.removed.begin(), removals.removed.end());
  std::vector<SkippedFile> aside;
  std::erase_if(leaving, [&](const std::string& path) {
    const auto skip = broken.find(path);
    if (skip != broken.end()) aside.push_back(*skip->second);
    return skip != broken.end();
  });
  for (const std::string& file : plan.gone_skipped) {
    const RunRoot* const root = roots.root_of(file);
    if (root && !removals.withheld.contains(root->known.path)) leaving.push_back(file);
  }
  if (!leaving.empty() || !aside.empty()) {
    run.writer.remove_paths(leaving);
    run.writer.put_in_quarantine(aside);
    run.writer.merge_segments(run.config.store.max_segments);
  }
  run.report.moved = removals.moved.size();
  run.report.removed = removals.removed.size();
  store_scanned_roots(run, roots, std::move(removals));
}

}  // namespace lookalike
