#include "stages/extract/extract_stage.h"
#include "tools/stages/image_stage.h"

namespace lookalike {
namespace {

struct Arguments : ImageStageArguments {
  explicit Arguments(CLI::App& app) : ImageStageArguments(app, "Features file to write") {
    config.add_extraction();
  }
};

int extract(const Arguments& arguments, RunConfig config, Progress::Style style) {
  return run_image_stage<ImageFeatures>(
      arguments, config, style, "extract",
      [&](OpenClSession& session) { return ExtractStage(session, config.extract); });
}

}  // namespace
}  // namespace lookalike

int main(int argc, char** argv) {
  return lookalike::run_stage(
      argc, argv, "lookalike-extract",
      "Finds SURF features in images.\n"
      "Input: folders of images, or a manifest. Output: a file of features, one record per image.\n"
      "Example: lookalike-extract --images photos --output photos.features",
      lookalike::extract);
}
