#include <memory>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "pipeline/answers.h"
#include "pipeline/calibrate/calibrate_index.h"
#include "pipeline/open_session.h"
#include "tools/command_line/command_line.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

struct Arguments {
  explicit Arguments(CLI::App& command) : config(command), talk(command) {
    config.add("--database", "store.database")->required();
    config.add("--device", "device.choice");
    command.add_flag("--json", json, "Print what was seen and the weights as one JSON object");
  }
  ConfigArguments config;
  TalkArguments talk;
  bool json = false;
};

Json evidence_json(const std::vector<Evidence>& sightings) {
  Json list = Json::array();
  for (const Evidence& evidence : sightings) {
    list.push_back({{"votes_excess", evidence.votes_excess},
                    {"shortlist", evidence.shortlist},
                    {"pairs", evidence.pairs},
                    {"inliers", evidence.inliers},
                    {"effective_inliers", evidence.effective_inliers},
                    {"correlation", evidence.correlation ? Json(*evidence.correlation) : Json()},
                    {"detail", evidence.detail ? Json(*evidence.detail) : Json()}});
  }
  return list;
}

int run_calibrate(const Arguments& arguments) {
  const RunConfig config = arguments.config.load();
  const Progress::Style style = arguments.talk.apply();
  if (!std::filesystem::exists(config.store.database)) {
    throw Error(ErrorKind::kInput, config.store.database + ": there is no such index");
  }
  IndexWriter writer(config.store.database);
  OpenClSession session(session_options(config.device));
  const auto [sightings, calibration] = calibrate_index(writer, config, session, style);
  spdlog::info("{} images seen that were shown, {} others, {} decoys", sightings.shown.size(),
               sightings.others.size(), sightings.decoys.size());
  if (arguments.json) {
    fmt::print("{}\n", json_text({{"weights", calibration ? Json(calibration->weights) : Json()},
                                  {"shown", evidence_json(sightings.shown)},
                                  {"others", evidence_json(sightings.others)},
                                  {"decoys", evidence_json(sightings.decoys)}}));
  }
  return kExitDone;
}

}  // namespace

void add_calibrate_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("calibrate", "Learn from an index's own images how sure a match is");
  command->footer(
      "Makes photos of the indexed images, looks them up and their mirror images, and stores in "
      "the "
      "index what probabilities that gives. `lookalike index` does so by itself when an index is "
      "new or has grown by half.\n"
      "Example: lookalike calibrate --database photos.db");
  const auto arguments = std::make_shared<Arguments>(*command);
  command->callback([=, &action] { action = [=] { return run_calibrate(*arguments); }; });
}

}  // namespace lookalike
