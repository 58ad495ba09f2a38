#include "stages/variance/variance_stage.h"
#include "tools/stages/image_stage.h"

namespace lookalike {
namespace {

struct Arguments : ImageStageArguments {
  explicit Arguments(CLI::App& app) : ImageStageArguments(app, "Statistics file to write") {}
};

int variance(const Arguments& arguments, RunConfig config, Progress::Style style) {
  return run_image_stage<ImageStatistics>(
      arguments, config, style, "variance",
      [](OpenClSession& session) { return VarianceStage(session); });
}

}  // namespace
}  // namespace lookalike

int main(int argc, char** argv) {
  return lookalike::run_stage(
      argc, argv, "lookalike-variance",
      "Sums the grey levels of images and their squares, exactly.\n"
      "Input: folders of images, or a manifest. Output: a file of statistics, one record per "
      "image.\n"
      "Example: lookalike-variance --images photos --output photos.statistics",
      lookalike::variance);
}
