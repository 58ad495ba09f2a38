#include <unordered_set>
#include <utility>

#include "base/content_hash.h"
#include "base/program.h"
#include "tools/command_line/stage_arguments.h"

namespace lookalike {
namespace {

int sample_command(int argc, const char* const* argv) {
  CLI::App app(
      "Keeps the features that training may take, so that lookalike-codebook need not read those "
      "of all images.\n"
      "Input: files of features and of statistics, such as those of one shard.\n"
      "Output: a file of features. The samples of all shards give the codebook of all features.\n"
      "Example: lookalike-sample --features photos.features --statistics photos.statistics "
      "--output photos.sample",
      "lookalike-sample");
  ConfigArguments arguments(app);
  arguments.add("--sample-images", "codebook.sample_images");
  arguments.add("--seed", "codebook.seed");
  arguments.add("--minimum-variance", "variance.blank_below");
  const VerbosityArguments verbosity(app);
  std::vector<std::string> features;
  std::vector<std::string> statistics;
  std::string output;
  app.add_option("--features", features, "Files of lookalike-extract")
      ->type_name("FILE...")
      ->required();
  app.add_option("--statistics", statistics,
                 "Files of lookalike-variance: blank images are left out")
      ->type_name("FILE...")
      ->required();
  app.add_option("--output", output, "Features file to write")->type_name("FILE")->required();
  const StageOutputArguments outputs(app);
  if (!parse_command_line(app, argc, argv)) return kExitDone;
  const RunConfig config = arguments.load();
  verbosity.apply();

  OutputGuard guard = outputs.guard(arguments, config);
  guard.add_inputs(features);
  guard.add_inputs(statistics);
  OutputFile file = guard.open("--output", output, artefact_kind<ImageFeatures>());
  if (outputs.is_done(guard)) return kExitDone;
  const SumsByContent sums = read_statistics(statistics);
  const FeatureSource source = trainable_features(features, sums, config.variance);
  std::unordered_set<ContentHash, ContentHasher> wanted;
  for (const SampleImage& image : first_of_sample(sample_images_of(source), config.codebook)) {
    wanted.insert(image.content);
  }
  ArtefactWriter<ImageFeatures> writer(std::move(file));
  source([&](const ImageFeatures& image) {
    if (wanted.erase(image.image.content) > 0) writer.write(image);  // copies once
  });
  writer.finish();
  return kExitDone;
}

}  // namespace
}  // namespace lookalike

int main(int argc, char** argv) {
  return lookalike::run_main("lookalike-sample",
                             [&] { return lookalike::sample_command(argc, argv); });
}
