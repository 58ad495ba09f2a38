#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "pipeline/error.h"
#include "stages/command/command_line.h"
#include "stages/command/open_session.h"
#include "stages/match/answers.h"
#include "stages/match/locate.h"
#include "tools/lookalike/commands.h"
#include "tools/lookalike/findings.h"
#include "tools/lookalike/photo.h"

namespace lookalike {
namespace {

struct Arguments {
  explicit Arguments(CLI::App& command) : config(command), talk(command) {
    command.add_option("--object", object, "Picture of what is looked for")
        ->required()
        ->type_name("IMAGE");
    command.add_option("--scene", scene, "Photo it is looked for in")
        ->required()
        ->type_name("IMAGE");
    longest_side = config.add("--longest-side", "extract.longest_side_px");
    max_features = config.add("--max-features", "extract.max_features");
    config.add("--hessian-threshold", "extract.hessian_threshold");
    config.add("--device", "device.choice");
    command.add_flag("--json", json, "Print one JSON object");
    command.add_option("--report", report, "Write a page that shows what was found")
        ->type_name("FILE.html");
  }
  ConfigArguments config;
  TalkArguments talk;
  CLI::Option* longest_side = nullptr;
  CLI::Option* max_features = nullptr;
  std::string object;
  std::string scene;
  bool json = false;
  std::string report;
};

// One pair of pictures may cost more than each of a million: unless told otherwise, hardly
// anything is reduced or left out.
ExtractOptions extract_options(const Arguments& arguments, ExtractOptions options) {
  if (arguments.config.has_file()) return options;
  options.enlarge_to_px = 0;
  options.descriptor_form = "plain";
  if (arguments.longest_side->count() == 0) options.longest_side_px = 4096;
  if (arguments.max_features->count() == 0) options.max_features = 5000;
  return options;
}

Query must_load(ExtractStage& extract, const std::string& path, const ExtractOptions& options,
                const ImagesOptions& limits) {
  auto loaded = load_photo(extract, path, options, limits);
  if (const auto* skipped = std::get_if<SkippedFile>(&loaded)) {
    throw Error(ErrorKind::kInput,
                fmt::format("{}: {}: {}", path, skipped->reason, skipped->detail));
  }
  return std::get<Query>(std::move(loaded));
}

void print_text(const Arguments& arguments, const std::vector<Hit>& hits) {
  if (hits.empty()) fmt::print("{}: {} was not found\n", arguments.scene, arguments.object);
  for (const Hit& hit : hits) {
    fmt::print(
        "{}: centre ({:.1f}, {:.1f})  turned {:.1f} degrees  scale {:.3f}  "
        "correlation {:.3f}\n",
        arguments.scene, hit.centre.x, hit.centre.y, hit.angle_degrees, hit.scale, hit.correlation);
  }
}

void write_hits(const Arguments& arguments, const std::vector<Hit>& hits) {
  ReportEntry entry{.photo = arguments.scene, .findings = {}, .problem = {}};
  for (const Hit& hit : hits) entry.findings.push_back(finding_of(arguments.object, hit));
  write_report({.title = "Where lookalike found it",
                .facts = {{"object", arguments.object}},
                .entries = {std::move(entry)}},
               arguments.report);
}

int run_locate(const Arguments& arguments) {
  const RunConfig config = arguments.config.load();
  arguments.talk.apply();
  const ExtractOptions options = extract_options(arguments, config.extract);
  OpenClSession session(session_options(config.device));
  ExtractStage extract(session, options);
  const Query object = must_load(extract, arguments.object, options, config.images);
  const Query scene = must_load(extract, arguments.scene, options, config.images);
  const std::vector<Hit> hits = locate(session, object, scene, config.match);
  if (arguments.json) {
    fmt::print("{}\n", json_text(locate_answer(arguments.object, arguments.scene, hits)));
  } else {
    print_text(arguments, hits);
  }
  if (!arguments.report.empty()) write_hits(arguments, hits);
  return kExitDone;
}

}  // namespace

void add_locate_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("locate", "Find every place where a scene shows an object; no index");
  command->footer(
      "Output: a line per place, or with --json one object:\n"
      "  {\"scene\": path, \"hits\": [{\"object\", \"centre\", \"angle_degrees\", \"scale\", "
      "\"correlation\", \"quad\"}, ...]}\n"
      "Example: lookalike locate --object logo.png --scene shelf.jpg");
  const auto arguments = std::make_shared<Arguments>(*command);
  command->callback([=, &action] { action = [=] { return run_locate(*arguments); }; });
}

}  // namespace lookalike
