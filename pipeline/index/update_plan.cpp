#include "pipeline/index/update_plan.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_set>
#include <utility>

#include "base/page_name.h"

namespace lookalike {
namespace {

using KnownFiles = std::unordered_map<std::string_view, const SourceFile*>;
using KnownSkips = std::unordered_map<std::string_view, const SkippedFile*>;

bool depends_on_content(const SkippedFile& skipped) {
  return skipped.reason == "empty" || skipped.reason == "undecodable" ||
         skipped.reason == "too_small";
}

bool is_restated(const SourceFile& before, const SourceFile& now, bool trust_times) {
  return trust_times ? differs_in_status_time(before, now) : is_relinked(before, now);
}

// Returns the file of this path; nullptr if there is none.
const SourceFile* file_of(const std::vector<SourceFile>& sorted, const std::string& path) {
  const auto file = std::ranges::lower_bound(sorted, path, {}, &SourceFile::path);
  return file != sorted.end() && file->path == path ? &*file : nullptr;
}

}  // namespace

bool is_out_of_sight(const SkippedFile& skipped) {
  return skipped.reason == "unreadable" || skipped.reason == "vanished" ||
         skipped.reason == "changing" || skipped.reason == "no_memory";
}

OutOfSight::OutOfSight(const std::vector<SkippedFile>& skipped) {
  for (const SkippedFile& skip : skipped) {
    if (!is_out_of_sight(skip)) continue;
    paths_.insert(skip.file.path);
    skipped_[skip.file.path] = &skip;
  }
}

const SkippedFile* OutOfSight::covering(std::string_view path) const {
  const std::string* const folder = paths_.innermost(path);
  return folder == nullptr ? nullptr : skipped_.at(*folder);
}

UpdatePlan plan_update(const ScanResult& found, const std::vector<SourceFile>& indexed,
                       const std::vector<SkippedFile>& skipped, bool trust_times) {
  KnownFiles known_files;
  KnownSkips known_skips;
  for (const SourceFile& file : indexed) known_files[file.path] = &file;
  for (const SkippedFile& skip : skipped) known_skips[skip.file.path] = &skip;

  UpdatePlan plan;
  std::unordered_set<std::string_view> present;
  for (const SourceFile& file : found.files) {
    present.insert(file.path);
    const auto known = known_files.find(file.path);
    const auto skip = known_skips.find(file.path);
    if (known != known_files.end() && is_same_state(*known->second, file)) {
      ++plan.unchanged;
    } else if (known != known_files.end() && is_restated(*known->second, file, trust_times)) {
      ++plan.unchanged;
      plan.restated.push_back(file);
    } else if (skip != known_skips.end() && is_same_state(skip->second->file, file) &&
               depends_on_content(*skip->second)) {
      plan.still_skipped.push_back(*skip->second);
    } else {
      plan.to_index.push_back(file);
    }
  }
  const OutOfSight out_of_sight(found.skipped);
  for (const SkippedFile& skip : found.skipped) present.insert(skip.file.path);
  const auto is_gone = [&](const std::string& path) {
    return !present.contains(page_of(path).file) && out_of_sight.covering(path) == nullptr;
  };
  for (const SourceFile& file : indexed) {
    if (is_gone(file.path)) plan.gone.push_back(file.path);
  }
  for (const SkippedFile& skip : skipped) {
    if (is_gone(skip.file.path)) plan.gone_skipped.push_back(skip.file.path);
  }
  return plan;
}

std::map<std::string, std::size_t> reasons_to_read(const std::vector<std::string>& files,
                                                   const std::vector<SourceFile>& before,
                                                   const std::vector<SourceFile>& now) {
  std::map<std::string, std::size_t> reasons;
  for (const std::string& path : files) {
    const SourceFile* const old = file_of(before, path);
    const SourceFile* const fresh = file_of(now, path);
    if (old == nullptr || fresh == nullptr) continue;
    const bool is_touched = old->modified_ns != fresh->modified_ns;
    ++reasons[is_touched                   ? "modification_time"
              : old->inode != fresh->inode ? "inode"
                                           : "status_time"];
  }
  return reasons;
}

std::vector<SkippedFile> newly_skipped(const std::vector<SkippedFile>& skipped,
                                       const std::vector<SkippedFile>& quarantine) {
  std::set<std::pair<std::string_view, std::string_view>> known;
  for (const SkippedFile& skip : quarantine) known.emplace(skip.file.path, skip.reason);
  std::vector<SkippedFile> fresh;
  std::ranges::copy_if(skipped, std::back_inserter(fresh), [&](const SkippedFile& skip) {
    return !known.contains({skip.file.path, skip.reason});
  });
  return fresh;
}

}  // namespace lookalike
