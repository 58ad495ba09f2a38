#include "stages/extract/extract_stage.h"
#include "tools/stages/image_stage.h"
#include "tools/stages/stages.h"

namespace lookalike {
namespace {

struct ExtractArguments : ImageStageArguments {
  explicit ExtractArguments(CLI::App& app) : ImageStageArguments(app, "Features file to write") {
    config.add_extraction();
  }
};

int run_extract(const ExtractArguments& arguments, RunConfig config, Progress::Style style) {
  return run_image_stage<ImageFeatures>(
      arguments, config, style, "extract",
      [&](OpenClSession& session) { return ExtractStage(session, config.extract); });
}

}  // namespace

int extract_stage(int argc, const char* const* argv) {
  return run_stage(
      argc, argv, "lookalike-extract",
      "Finds SURF features in images.\n"
      "Input: folders of images, or a manifest. Output: a file of features, one record per image.\n"
      "Example: lookalike-extract --images photos --output photos.features",
      run_extract);
}

}  // namespace lookalike
