#include "tools/lookalike/duplicates_actions.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/path_set.h"
#include "base/text.h"
#include "pipeline/duplicates/act_log.h"
#include "pipeline/duplicates/act_run.h"
#include "pipeline/duplicates/act_script.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

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

int carry_out_plan(const ActionPlan& plan, const RunConfig& config, StopSignal& stop) {
  const CarriedOut carried = carry_out(plan, config.images, until_stopped(stop));
  const ActionReport& report = carried.report;
  warn_of_left(report.left);
  const std::string companions =
      report.companions.empty()
          ? std::string()
          : fmt::format(" and {} that belong to them", report.companions.size());
  fmt::print(
      "{}{} {}; to undo it: {}\n", counted(report.done.size(), "file"), companions,
      plan.kind == ActionKind::kMove ? "moved to " + printable(plan.folder) : "made hard links",
      undo_command(carried.log));
  return exit_code_of(report, stop);
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
                "With --move-to or --hardlink, write a script that does it instead");
  CLI::Option* const doing =
      add_value(command, "--carry-out SCRIPT", carry_out, "Do what such a script says")
          ->excludes(moving)
          ->excludes(linking)
          ->excludes(writing);
  add_value(command, "--undo LOG", undo,
            "Put back what the log of an earlier call says, within the folders of its index or of "
            "the one that --database names")
      ->excludes(moving)
      ->excludes(linking)
      ->excludes(writing)
      ->excludes(doing);
}

void check_actions(const ActionArguments& arguments, const IndexReader& index,
                   const RunConfig& config) {
  if (!arguments.script.empty() && !arguments.is_given()) {
    throw Error(ErrorKind::kUsage, "--script: needs --move-to or --hardlink");
  }
  if (arguments.move_to.empty()) return;
  const auto objection = objection_to_folder(normal_path(arguments.move_to), index, config.images);
  if (objection) throw Error(ErrorKind::kUsage, "--move-to: " + *objection);
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
  const ActionKind kind = moves ? ActionKind::kMove : ActionKind::kHardLink;
  const std::string folder = moves ? normal_path(arguments.move_to) : std::string();
  const std::size_t all = files.size();
  const ActionPlan plan = plan_action(kind, std::move(files), folder, index, config);
  if (plan.steps.size() < all) {
    spdlog::info("{} left in place, {}", counted(all - plan.steps.size(), "file"),
                 moves ? "for which others go" : "without an exact copy that stays");
  }
  if (plan.steps.empty()) {
    fmt::print("there is nothing to do\n");
    return kExitDone;
  }
  if (!script) return carry_out_plan(plan, config, stop);
  script->write(script_of(plan, fs::read_symlink("/proc/self/exe")));
  script->commit();
  // Nobody else may add lines to what this user runs.
  std::error_code is_no_file;
  fs::permissions(arguments.script, fs::perms::group_write | fs::perms::others_write,
                  fs::perm_options::remove, is_no_file);
  fmt::print("{} in the script\n", counted(plan.steps.size(), "file"));
  return kExitDone;
}

int carry_out_script(const std::string& script, const RunConfig& config) {
  StopSignal stop;
  const ActionPlan plan = read_plan(script);
  if (plan.kind == ActionKind::kMove) {
    const auto objection =
        objection_to_folder(plan.folder, IndexReader(plan.databases), config.images);
    if (objection) throw Error(ErrorKind::kUsage, *objection);
  }
  return carry_out_plan(plan, config, stop);
}

int undo_actions(const std::string& log, std::vector<fs::path> databases, const RunConfig& config) {
  StopSignal stop;
  const ActionReport report =
      undo_log(log, std::move(databases), config.images, until_stopped(stop)).report;
  warn_of_left(report.left);
  fmt::print("{} put back; the next `lookalike index` finds them\n",
             counted(report.done.size(), "file"));
  return exit_code_of(report, stop);
}

}  // namespace lookalike
