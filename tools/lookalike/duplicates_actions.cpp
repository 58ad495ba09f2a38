#include "tools/lookalike/duplicates_actions.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/path_set.h"
#include "base/text.h"
#include "config/scan_rules.h"
#include "pipeline/groups/act_log.h"
#include "pipeline/groups/act_script.h"
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
      spdlog::warn("the index still has the moved files, until the next run: {}", error.what());
    }
  }
}

int exit_code_of(const ActionReport& report, StopSignal& stop) {
  if (stop.received() != 0) return kExitSignalled + stop.received();
  return report.left.empty() ? kExitDone : kExitSkippedItems;
}

std::string undo_command(const fs::path& log) {
  return "lookalike duplicates --undo " + shell_word(text_of_path(log.native()));
}

AfterEach until_stopped(StopSignal& stop) {
  return [&stop](std::size_t) { return stop.received() == 0; };
}

}  // namespace

ActionArguments::ActionArguments(CLI::App& command) {
  CLI::Option* const moving =
      add_value(command, "--move-to DIR", move_to,
                "Move the files that may go to this folder, where they keep their paths");
  CLI::Option* const linking =
      command
          .add_flag("--hardlink", hard_link,
                    "Make exact copies that may go hard links to the files that stay")
          ->excludes(moving);
  CLI::Option* const writing =
      add_value(command, "--script FILE", script,
                "With --move-to or --hardlink, write a shell script that does it instead");
  add_value(command, "--undo LOG", undo, "Put back what the log of an earlier call says")
      ->excludes(moving)
      ->excludes(linking)
      ->excludes(writing);
}

void check_actions(const ActionArguments& arguments, const IndexReader& index,
                   const RunConfig& config) {
  if (!arguments.script.empty() && !arguments.is_given()) {
    throw Error(ErrorKind::kUsage, "--script: needs --move-to or --hardlink");
  }
  if (arguments.move_to.empty()) return;
  const std::string folder = normal_path(arguments.move_to);
  for (const IndexRoot& root : index.roots()) {
    if (is_within(root.path, folder)) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--move-to: {}: holds the indexed folder {}: name one outside it",
                              printable(folder), printable(root.path)));
    }
    if (!is_within(folder, root.path)) continue;
    const std::string extension =
        config.images.extensions.empty() ? std::string("jpg") : config.images.extensions.front();
    const std::string file = fmt::format("{}/photo.{}", folder, extension);
    if (why_left_out(file, root.path, scan_rules(config.images)) != LeftOut::kNot) continue;
    throw Error(ErrorKind::kUsage,
                fmt::format("--move-to: {}: lies in {}, so the next run would index the files "
                            "again: name a folder outside, or exclude it by a .lookalikeignore",
                            printable(folder), printable(root.path)));
  }
}

void warn_of_left(const std::vector<std::string>& left) {
  constexpr std::size_t kMostListed = 20;
  for (std::size_t i = 0; i < std::min(left.size(), kMostListed); ++i) {
    spdlog::warn("{}", printable(left[i]));
  }
  if (left.size() > kMostListed) spdlog::warn("and {} more", left.size() - kMostListed);
}

std::optional<OutputFile> open_script(const ActionArguments& arguments, OutputGuard& guard) {
  return guard.open_if_named("--script", arguments.script,
                             kind_that_begins("a script of lookalike", kScriptMark));
}

int act_on(std::vector<Needless> files, const ActionArguments& arguments, const IndexReader& index,
           const RunConfig& config, std::optional<OutputFile>& script, StopSignal& stop) {
  const bool moves = !arguments.move_to.empty();
  const std::string folder = moves ? normal_path(arguments.move_to)
                                   : fs::path(config.store.database).parent_path().native();
  const std::size_t all = files.size();
  const std::string base = common_folder(index, files);
  const ActionPlan plan =
      moves ? plan_moves(std::move(files), folder, base) : plan_hard_links(std::move(files));
  if (plan.steps.size() < all) {
    spdlog::info("{} files that are no exact copies stay", all - plan.steps.size());
  }
  if (plan.steps.empty()) {
    spdlog::info("there is nothing to do");
    return kExitDone;
  }
  const fs::path log = new_log_name(folder);
  if (script) {
    script->write(script_of(plan, log));
    script->commit();
    spdlog::info("{} files in the script; to undo what it has done: {}", plan.steps.size(),
                 undo_command(log));
    return kExitDone;
  }
  std::error_code error;  // the log says why a folder cannot be made
  fs::create_directories(folder, error);
  write_log(log, plan);
  const ActionReport report = act(plan, until_stopped(stop), [] {});
  if (moves && !report.done.empty()) remove_from_index(report.done, config);
  warn_of_left(report.left);
  spdlog::info("{} files {}; to undo it: {}", report.done.size(),
               moves ? "moved to " + printable(folder) : "made hard links", undo_command(log));
  return exit_code_of(report, stop);
}

int undo_actions(const std::string& log) {
  StopSignal stop;
  const ActionReport report = undo(read_log(log), until_stopped(stop), [] {});
  warn_of_left(report.left);
  spdlog::info("{} files put back; the next `lookalike index` finds them", report.done.size());
  return exit_code_of(report, stop);
}

}  // namespace lookalike
