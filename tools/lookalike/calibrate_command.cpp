#include "pipeline/calibrate/calibrate_index.h"
#include "pipeline/device/open_session.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

struct CalibrateArguments : ComputeArguments {
  explicit CalibrateArguments(CLI::App& command)
      : ComputeArguments(command),
        json(command,
             "Print the evidence and the weights as one JSON object, as "
             "docs/schema/calibrate.json describes") {
    config.add_databases();
    config.add("device.choice");
  }
  JsonArgument json;
};

Json evidence_json(const std::vector<Evidence>& evidence_list) {
  Json list = Json::array();
  for (const Evidence& evidence : evidence_list) {
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

int calibrate(const CalibrateArguments& arguments, RunConfig config, Progress::Style style) {
  IndexWriter writer(arguments.config.existing_database(config));
  if (!config.match.calibration.empty()) {
    spdlog::warn("match.calibration: searches use the calibration of {}, not the one stored now",
                 printable(config.match.calibration));
  }
  OpenClSession session(session_options(config.device));
  const IndexReader index = arguments.config.open_searched(config);
  const auto [sightings, calibration] = calibrate_index(writer, index, config, session, style);
  spdlog::info("matches: {} of the image shown, {} of other images, {} of mirrored photos",
               sightings.shown.size(), sightings.others.size(), sightings.decoys.size());
  arguments.json.print({{"weights", calibration ? Json(calibration->weights) : Json()},
                        {"shown", evidence_json(sightings.shown)},
                        {"others", evidence_json(sightings.others)},
                        {"decoys", evidence_json(sightings.decoys)}},
                       [] {});
  return kExitDone;
}

}  // namespace

void add_calibrate_command(CLI::App& app, Action& action) {
  add_command(app, action, "calibrate",
              "Learn match probabilities from photos made of an index's own images",
              "Makes photos of indexed images, looks up these photos and their mirror images, and "
              "stores the resulting probabilities in the index. `lookalike index` calibrates on "
              "its own when an index is new or has grown by half. With several indexes, photos are "
              "made from all, and the first index stores the probabilities.\n"
              "Output: the index with its calibration; with --json the evidence and the weights.\n"
              "Example: lookalike calibrate -d photos.db",
              calibrate);
}

}  // namespace lookalike
