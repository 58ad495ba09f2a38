#include <optional>
#include <utility>

#include "base/program.h"
#include "pipeline/open_session.h"
#include "stages/variance/variance_stage.h"
#include "tools/command_line/stage_arguments.h"

namespace lookalike {
namespace {

int variance_command(int argc, const char* const* argv) {
  CLI::App app(
      "Sums the grey levels of images and their squares, exactly.\n"
      "Input: folders of images, or a manifest. Output: a file of statistics, one record an "
      "image.\n"
      "Example: lookalike-variance --images photos --output photos.statistics",
      "lookalike-variance");
  ConfigArguments arguments(app);
  const ImageArguments images(app, arguments);
  const VerbosityArguments verbosity(app);
  const SkippedArguments skipped_arguments(app);
  std::string output;
  app.add_option("--output", output, "Statistics file to write")->type_name("FILE")->required();
  const StageOutputArguments outputs(app);
  if (!parse_command_line(app, argc, argv)) return kExitDone;
  const RunConfig config = arguments.load();
  const Shard shard = images.shard();
  const Progress::Style style = verbosity.apply();

  OutputGuard guard = images.guard(outputs, arguments, config);
  OutputFile file = guard.open("--output", output, artefact_kind<ImageStatistics>());
  std::optional<OutputFile> skipped_file = skipped_arguments.open(guard);
  if (outputs.is_done(guard)) return kExitDone;
  ImageList list = images.list(config, shard);
  const bool is_whole = list.is_whole;
  OpenClSession session(session_options(config.device));
  VarianceStage stage(session);
  ArtefactWriter<ImageStatistics> writer(std::move(file));
  const std::vector<SkippedFile> skipped = for_each_image_batch(
      config, std::move(list), "variance", style, [&](std::span<const DecodedImage> batch) {
        for (const ImageStatistics& statistics : stage.run(batch)) writer.write(statistics);
      });
  writer.finish();
  return skipped_arguments.finish(std::move(skipped_file), skipped, is_whole);
}

}  // namespace
}  // namespace lookalike

int main(int argc, char** argv) {
  return lookalike::run_main("lookalike-variance",
                             [&] { return lookalike::variance_command(argc, argv); });
}
