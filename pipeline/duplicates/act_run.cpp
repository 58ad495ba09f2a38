#include "pipeline/duplicates/act_run.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/path_set.h"
#include "base/text.h"
#include "config/scan_rules.h"
#include "pipeline/duplicates/act_lock.h"
#include "pipeline/duplicates/act_log.h"
#include "pipeline/searcher.h"
#include "storage/index_writer.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

// Returns the innermost folder that holds all folders of the index and all files.
std::string common_folder(const IndexReader& index, const std::vector<Needless>& files) {
  std::vector<fs::path> folders;
  for (const IndexRoot& root : index.roots()) folders.emplace_back(root.path);
  for (const Needless& one : files) folders.push_back(fs::path(one.file.path).parent_path());
  fs::path common = folders.empty() ? fs::path("/") : folders.front();
  for (const fs::path& folder : folders) {
    const auto end = std::ranges::mismatch(common, folder).in1;
    fs::path shared;
    for (auto part = common.begin(); part != end; ++part) shared /= *part;
    common = shared;
  }
  return common;
}

// A run would otherwise take them for lost, and may withhold their removal.
void remove_from_index(const std::vector<std::string>& files,
                       const std::vector<fs::path>& databases) {
  for (const fs::path& database : databases) {
    try {
      IndexWriter(database).remove_paths(files);
    } catch (const Error& error) {
      spdlog::warn("the index still has the moved files, until the next run: {}",
                   printable(error.what()));
    }
  }
}

// Returns why files should not be moved to a folder, by its name and those of the index's folders.
std::optional<std::string> objection_by_name(const std::string& folder, const std::string& root,
                                             const ImagesOptions& images) {
  if (is_within(root, folder)) {
    return fmt::format("holds the indexed folder {}: name one outside it", printable(root));
  }
  if (!is_within(folder, root)) return std::nullopt;
  const std::string extension =
      images.extensions.empty() ? std::string("jpg") : images.extensions.front();
  const std::string file = fmt::format("{}/photo.{}", folder, extension);
  if (why_left_out(file, root, scan_rules(images)) != LeftOut::kNot) return std::nullopt;
  return fmt::format(
      "lies in {}, so the next run would index the files again: name a folder outside, or exclude "
      "it by a .lookalikeignore",
      printable(root));
}

// True if a folder, or one above it, is the other one under any name, as through a bind mount.
bool leads_through(const fs::path& folder, const fs::path& other) {
  std::error_code unknown;
  for (fs::path at = folder;; at = at.parent_path()) {
    if (fs::equivalent(at, other, unknown)) return true;
    if (at == at.parent_path()) return false;
  }
}

// Throws if the new log of moves appears in a folder of the index: the log's folder is that one
// under another path, as by two mounts. Removes the log then.
void require_other_folder(const fs::path& log, const Reach& reach, const ActionPlan& plan) {
  std::set<fs::path> folders(reach.folders.begin(), reach.folders.end());
  for (const ActionStep& step : plan.steps) {
    fs::path folder = fs::path(step.needless.file.path).parent_path();
    while (folders.insert(folder).second) folder = folder.parent_path();
  }
  for (const fs::path& folder : folders) {
    if (!is_reached(folder / log.filename(), reach) || !look_at(folder / log.filename())) continue;
    ::unlink(log.c_str());
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: is {} by another path", printable(log.parent_path().native()),
                            printable(folder.native())));
  }
}

}  // namespace

std::optional<std::string> objection_to_folder(const std::string& folder, const IndexReader& index,
                                               const ImagesOptions& images) {
  const fs::path real = resolved(folder);
  std::optional<std::string> objection;
  for (const IndexRoot& root : index.roots()) {
    const fs::path real_root = resolved(root.path);
    objection = objection_by_name(folder, root.path, images);
    if (!objection) objection = objection_by_name(real.native(), real_root.native(), images);
    // By name alone, it lies outside.
    if (!objection && !is_within(real.native(), real_root.native()) &&
        (leads_through(real, real_root) || leads_through(real_root, real))) {
      objection = fmt::format("is, holds or lies in the indexed folder {} by another path",
                              printable(root.path));
    }
    if (objection) return fmt::format("{}: {}", printable(folder), *objection);
  }
  return std::nullopt;
}

ActionPlan plan_action(ActionKind kind, std::vector<Needless> files, const std::string& folder,
                       const IndexReader& index, const RunConfig& config) {
  const std::string base = common_folder(index, files);
  ActionPlan plan = kind == ActionKind::kHardLink ? plan_hard_links(std::move(files))
                                                  : plan_moves(std::move(files), folder, base);
  plan.databases = searched_databases(config);
  return plan;
}

fs::path log_folder(const ActionPlan& plan) {
  return plan.kind == ActionKind::kMove ? fs::path(plan.folder)
                                        : resolved(plan.databases.at(0)).parent_path();
}

Reach reach_of(const IndexReader& index, const ImagesOptions& images) {
  Reach reach;
  if (images.follow_links) reach.links = FolderLinks::kFollow;
  for (const IndexRoot& root : index.roots()) reach.folders.push_back(root.path);
  return reach;
}

CarriedOut carry_out(ActionPlan plan, const ImagesOptions& images, const AfterEach& after_each) {
  const ActionLock lock(plan.databases);
  const IndexReader index(plan.databases);
  CarriedOut result;
  const Reach reach = reach_of(index, images);
  std::erase_if(plan.steps, [&](const ActionStep& step) {
    const std::string& path = step.needless.file.path;
    const bool is_outside = !is_reached(path, reach);
    if (is_outside) result.report.left.push_back(path + ": lies in no folder of the index");
    return is_outside;
  });
  const fs::path folder = log_folder(plan);
  std::error_code error;  // the log says why a folder cannot be made
  fs::create_directories(folder, error);
  add_companions(plan);
  choose_free_names(plan);
  result.log = new_log_name(folder);
  const std::unique_ptr<AtomicFile> log = write_log(result.log, plan);
  if (plan.kind == ActionKind::kMove) require_other_folder(result.log, reach, plan);
  result.steps = plan.steps.size();
  ActionReport report = act(plan, after_each, [] {});
  if (plan.kind == ActionKind::kMove && !report.done.empty()) {
    std::vector<std::string> moved = report.done;
    moved.insert(moved.end(), report.companions.begin(), report.companions.end());
    remove_from_index(moved, plan.databases);
  }
  result.report.done = std::move(report.done);
  result.report.companions = std::move(report.companions);
  std::ranges::move(report.left, std::back_inserter(result.report.left));
  return result;
}

CarriedOut undo_log(const fs::path& log, std::vector<fs::path> databases,
                    const ImagesOptions& images, const AfterEach& after_each) {
  if (databases.empty()) databases = read_log(log).databases;
  const ActionLock lock(databases);
  const Reach reach = [&] {
    try {
      return reach_of(IndexReader(databases), images);
    } catch (const Error& error) {
      throw Error(error.kind(),
                  fmt::format("{}: an index has to say in which folders files may be put back; "
                              "--database names one: {}",
                              printable(log.native()), error.what()));
    }
  }();
  const TakenLog taken = take_log(log);
  return {undo(taken.plan, reach, after_each, [] {}), log, taken.plan.steps.size()};
}

}  // namespace lookalike
