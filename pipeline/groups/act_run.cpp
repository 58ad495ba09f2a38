#include "pipeline/groups/act_run.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/path_set.h"
#include "base/text.h"
#include "config/scan_rules.h"
#include "pipeline/groups/act_log.h"
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
void remove_from_index(const std::vector<std::string>& files, const RunConfig& config) {
  std::vector<std::string> databases = config.match.shards;
  databases.push_back(config.store.database);
  for (const std::string& database : databases) {
    try {
      IndexWriter(database).remove_paths(files);
    } catch (const Error& error) {
      spdlog::warn("the index still has the moved files, until the next run: {}",
                   printable(error.what()));
    }
  }
}

}  // namespace

std::optional<std::string> objection_to_folder(const std::string& folder, const IndexReader& index,
                                               const ImagesOptions& images) {
  for (const IndexRoot& root : index.roots()) {
    if (is_within(root.path, folder)) {
      return fmt::format("{}: holds the indexed folder {}: name one outside it", printable(folder),
                         printable(root.path));
    }
    if (!is_within(folder, root.path)) continue;
    const std::string extension =
        images.extensions.empty() ? std::string("jpg") : images.extensions.front();
    const std::string file = fmt::format("{}/photo.{}", folder, extension);
    if (why_left_out(file, root.path, scan_rules(images)) != LeftOut::kNot) continue;
    return fmt::format(
        "{}: lies in {}, so the next run would index the files again: name a folder outside, or "
        "exclude it by a .lookalikeignore",
        printable(folder), printable(root.path));
  }
  return std::nullopt;
}

ActionPlan plan_action(ActionKind kind, std::vector<Needless> files, const std::string& folder,
                       const IndexReader& index) {
  if (kind == ActionKind::kHardLink) return plan_hard_links(std::move(files));
  const std::string base = common_folder(index, files);
  return plan_moves(std::move(files), folder, base);
}

fs::path log_folder(ActionKind kind, const std::string& folder, const RunConfig& config) {
  return kind == ActionKind::kMove ? fs::path(folder)
                                   : fs::path(config.store.database).parent_path();
}

ActionReport carry_out(const ActionPlan& plan, const fs::path& log, const RunConfig& config,
                       const AfterEach& after_each) {
  std::error_code error;  // the log says why a folder cannot be made
  fs::create_directories(log.parent_path(), error);
  write_log(log, plan);
  ActionReport report = act(plan, after_each, [] {});
  if (plan.kind == ActionKind::kMove && !report.done.empty()) {
    remove_from_index(report.done, config);
  }
  return report;
}

}  // namespace lookalike
