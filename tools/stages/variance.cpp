#include "stages/variance/variance_stage.h"
#include "tools/stages/image_stage.h"
#include "tools/stages/stages.h"

namespace lookalike {
namespace {

struct VarianceArguments : ImageStageArguments {
  explicit VarianceArguments(CLI::App& app)
      : ImageStageArguments(app, "Statistics file to write") {}
};

int run_variance(const VarianceArguments& arguments, RunConfig config, Progress::Style style) {
  return run_image_stage<ImageStatistics>(
      arguments, config, style, "variance",
      [](OpenClSession& session) { return VarianceStage(session); });
}

}  // namespace

int variance_stage(int argc, const char* const* argv) {
  return run_stage(
      argc, argv, "lookalike-variance",
      "Sums the grey levels of images and their squares, exactly.\n"
      "Input: folders of images, or a manifest. Output: a file of statistics, one record per "
      "image.\n"
      "Example: lookalike-variance --images photos --output photos.statistics",
      run_variance);
}

}  // namespace lookalike
