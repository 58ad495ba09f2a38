#include <optional>
#include <utility>

#include "base/program.h"
#include "pipeline/open_session.h"
#include "stages/extract/extract_stage.h"
#include "tools/command_line/stage_arguments.h"

namespace lookalike {
namespace {

int extract_command(int argc, const char* const* argv) {
  CLI::App app(
      "Finds SURF features in images.\n"
      "Input: folders of images, or a manifest. Output: a file of features, one record an image.\n"
      "Example: lookalike-extract --images photos --output photos.features",
      "lookalike-extract");
  ConfigArguments arguments(app);
  const ImageArguments images(app, arguments);
  arguments.add("--hessian-threshold", "extract.hessian_threshold");
  arguments.add("--brighten-to", "extract.brighten_to");
  arguments.add("--octaves", "extract.octaves");
  arguments.add("--layers", "extract.layers");
  arguments.add("--max-interval", "extract.max_interval");
  arguments.add("--descriptor-size", "extract.descriptor_size");
  arguments.add("--upright", "extract.upright");
  arguments.add("--max-features", "extract.max_features");
  const VerbosityArguments verbosity(app);
  const SkippedArguments skipped_arguments(app);
  std::string output;
  app.add_option("--output", output, "Features file to write")->type_name("FILE")->required();
  const StageOutputArguments outputs(app);
  if (!parse_command_line(app, argc, argv)) return kExitDone;
  const RunConfig config = arguments.load();
  const Shard shard = images.shard();
  const Progress::Style style = verbosity.apply();

  OutputGuard guard = images.guard(outputs, arguments, config);
  OutputFile features_file = guard.open("--output", output, artefact_kind<ImageFeatures>());
  std::optional<OutputFile> skipped_file = skipped_arguments.open(guard);
  if (outputs.is_done(guard)) return kExitDone;
  ImageList list = images.list(config, shard);
  const bool is_whole = list.is_whole;
  OpenClSession session(session_options(config.device));
  ExtractStage stage(session, config.extract);
  ArtefactWriter<ImageFeatures> writer(std::move(features_file));
  const std::vector<SkippedFile> skipped = for_each_image_batch(
      config, std::move(list), "extract", style, [&](std::span<const DecodedImage> batch) {
        for (const ImageFeatures& features : stage.run(batch)) writer.write(features);
      });
  writer.finish();
  return skipped_arguments.finish(std::move(skipped_file), skipped, is_whole);
}

}  // namespace
}  // namespace lookalike

int main(int argc, char** argv) {
  return lookalike::run_main("lookalike-extract",
                             [&] { return lookalike::extract_command(argc, argv); });
}
